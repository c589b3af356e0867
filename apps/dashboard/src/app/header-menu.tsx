import { ActionIcon } from "@mantine/core";
import { type ComponentType, type LazyExoticComponent, type ReactNode, Suspense, useState } from "react";

interface HeaderMenuProps {
  label: string;
  icon: ReactNode;
  /** A menu that begins open, with its own button of this look. */
  menu: LazyExoticComponent<ComponentType>;
}

/** Look of the buttons in the header. */
export const headerButton = { variant: "subtle", color: "gray", size: "lg" } as const;

/** A button whose menu is loaded when it is first pressed: most visits open none. */
export function HeaderMenu({ label, icon, menu: LoadedMenu }: HeaderMenuProps) {
  const [isUsed, setUsed] = useState(false);
  const button = (
    <ActionIcon
      {...headerButton}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setUsed(true)}
    >
      {icon}
    </ActionIcon>
  );
  return isUsed ? (
    <Suspense fallback={button}>
      <LoadedMenu />
    </Suspense>
  ) : (
    button
  );
}

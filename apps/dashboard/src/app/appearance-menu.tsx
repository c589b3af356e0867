import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import Check from "lucide-react/icons/check";
import { schemeOf, schemes } from "./color-schemes.ts";
import { headerButton } from "./header-menu.tsx";

/** The choice of colors, which is kept in this browser. */
export function AppearanceMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const chosen = schemeOf(colorScheme);
  return (
    <Menu position="bottom-end" withinPortal defaultOpened>
      <Menu.Target>
        <ActionIcon {...headerButton} aria-label={`Appearance: ${chosen.label}`}>
          <chosen.Icon size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={value === colorScheme && <Check size={16} aria-label="chosen" />}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

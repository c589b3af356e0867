import { ActionIcon, Menu } from "@mantine/core";
import CircleUser from "lucide-react/icons/circle-user";
import LogOut from "lucide-react/icons/log-out";
import { useSession } from "./session.tsx";

/** Who is signed in, and the way out. */
export function AccountMenu() {
  const session = useSession();
  if (session.state === "signed-out") return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account">
          <CircleUser size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Signed in with an API key</Menu.Label>
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={session.signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

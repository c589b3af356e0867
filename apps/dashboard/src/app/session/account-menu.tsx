import { ActionIcon, Menu } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import CircleUser from "lucide-react/icons/circle-user";
import LogOut from "lucide-react/icons/log-out";
import UserCog from "lucide-react/icons/user-cog";
import { headerButton } from "../header-menu.tsx";
import { useSession } from "./session.tsx";

/** Who is signed in, their account, and the way out. */
export function AccountMenu() {
  const session = useSession();
  const navigate = useNavigate();
  if (session.state !== "signed-in") return null;
  const { identity } = session;
  return (
    <Menu position="bottom-end" withinPortal defaultOpened>
      <Menu.Target>
        <ActionIcon {...headerButton} aria-label="Account">
          <CircleUser size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {identity === undefined
            ? "Signed in with an API key"
            : `${identity.user.name}${identity.role === null ? "" : `, ${identity.role}`}`}
        </Menu.Label>
        {identity !== undefined && (
          <Menu.Item
            leftSection={<UserCog size={16} aria-hidden />}
            onClick={() => void navigate({ to: "/account" })}
          >
            Your account
          </Menu.Item>
        )}
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => session.signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

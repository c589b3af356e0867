import { useRouterState } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import AudioLines from "lucide-react/icons/audio-lines";
import BookOpen from "lucide-react/icons/book-open";
import Bot from "lucide-react/icons/bot";
import Cable from "lucide-react/icons/cable";
import ChartColumn from "lucide-react/icons/chart-column";
import Contact from "lucide-react/icons/contact";
import Hash from "lucide-react/icons/hash";
import Library from "lucide-react/icons/library";
import ListChecks from "lucide-react/icons/list-checks";
import Megaphone from "lucide-react/icons/megaphone";
import MessageSquare from "lucide-react/icons/message-square";
import MessagesSquare from "lucide-react/icons/messages-square";
import Mic from "lucide-react/icons/mic";
import Phone from "lucide-react/icons/phone";
import Server from "lucide-react/icons/server";
import Settings from "lucide-react/icons/settings";
import { NavigationLink } from "../ui/links.tsx";
import { type Section, sections } from "./sections.ts";
import { useSession } from "./session/session.tsx";

const ICON_SIZE_PX = 18;

type ShownPath = Extract<(typeof sections)[number], { label: string }>["path"];

const icons: Readonly<Record<ShownPath, LucideIcon>> = {
  "/overview": ChartColumn,
  "/agents": Bot,
  "/voices": AudioLines,
  "/knowledge-bases": Library,
  "/calls": Phone,
  "/test-suites": ListChecks,
  "/campaigns": Megaphone,
  "/messages": MessagesSquare,
  "/customers": Contact,
  "/phone-numbers": Hash,
  "/sip-trunks": Cable,
  "/messaging-connections": MessageSquare,
  "/try": Mic,
  "/settings": Settings,
  "/operator": Server,
  "/docs": BookOpen,
};

/** Links to the sections. */
export function Navigation() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const session = useSession();
  const isOperator = session.state === "signed-in" && session.identity?.user.isOperator === true;
  return (
    <ul className="navigation">
      {sections.map((section) => {
        const { path, label } = section;
        if (label === undefined || (isForOperators(section) && !isOperator)) return null;
        const Icon = icons[path];
        const isHere = pathname === path || pathname.startsWith(`${path}/`);
        return (
          <li key={path}>
            <NavigationLink
              to={path}
              label={label}
              leftSection={<Icon size={ICON_SIZE_PX} aria-hidden />}
              active={isHere}
              aria-current={isHere ? "page" : undefined}
            />
          </li>
        );
      })}
    </ul>
  );
}

const isForOperators = ({ isForOperators: is }: Section): boolean => is === true;

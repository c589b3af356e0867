import { AppShell, Box, Burger, Container, Drawer, Group, useMantineColorScheme } from "@mantine/core";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import CircleUser from "lucide-react/icons/circle-user";
import { lazy, type ReactNode, useState } from "react";
import { schemeOf } from "./color-schemes.ts";
import { HeaderMenu } from "./header-menu.tsx";
import { Logo } from "./logo.tsx";
import { Navigation } from "./navigation.tsx";
import { OrganizationSwitcher } from "./session/organization-switcher.tsx";
import { useSession } from "./session/session.tsx";
import "./shell.css";

const AppearanceMenu = lazy(async () => ({
  default: (await import("./appearance-menu.tsx")).AppearanceMenu,
}));
const AccountMenu = lazy(async () => ({
  default: (await import("./session/account-menu.tsx")).AccountMenu,
}));

const HEADER_HEIGHT_PX = 56;
const NAVIGATION_WIDTH_PX = 224;

/** The frame of every page: header above, navigation at the left, or in a drawer on narrow screens. */
export function Shell({ children = <Outlet /> }: { children?: ReactNode }) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  // A link closes the drawer, because it changes the path.
  const [drawerPath, setDrawerPath] = useState<string>();
  const isDrawerOpen = drawerPath === pathname;
  const closeDrawer = (): void => setDrawerPath(undefined);
  return (
    <AppShell
      transitionDuration={0}
      header={{ height: HEADER_HEIGHT_PX }}
      navbar={{ width: NAVIGATION_WIDTH_PX, breakpoint: "sm", collapsed: { mobile: true } }}
    >
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            hiddenFrom="sm"
            size="sm"
            opened={isDrawerOpen}
            onClick={() => setDrawerPath(isDrawerOpen ? undefined : pathname)}
            aria-label="Navigation"
            aria-expanded={isDrawerOpen}
          />
          <Link to="/" className="home-link" aria-label="Parley: start page">
            <Logo />
            <Box visibleFrom="sm" component="span">
              Parley
            </Box>
          </Link>
          <SessionControls />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Sections">
        <Navigation />
      </AppShell.Navbar>
      <Drawer opened={isDrawerOpen} onClose={closeDrawer} title="Parley" size="xs" hiddenFrom="sm">
        <nav aria-label="Sections">
          <Navigation />
        </nav>
      </Drawer>
      <AppShell.Main id="main" tabIndex={-1}>
        <Container size="xl" px={{ base: "sm", sm: "lg" }} py="lg">
          {children}
        </Container>
      </AppShell.Main>
    </AppShell>
  );
}

function SessionControls() {
  const session = useSession();
  const { colorScheme } = useMantineColorScheme();
  const { label, Icon } = schemeOf(colorScheme);
  return (
    <Group gap="xs" ml="auto" wrap="nowrap">
      {session.state === "signed-in" && <OrganizationSwitcher />}
      <HeaderMenu
        label={`Appearance: ${label}`}
        icon={<Icon size={18} aria-hidden />}
        menu={AppearanceMenu}
      />
      {session.state === "signed-in" && (
        <HeaderMenu label="Account" icon={<CircleUser size={20} aria-hidden />} menu={AccountMenu} />
      )}
    </Group>
  );
}

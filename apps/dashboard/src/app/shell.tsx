import { AppShell, Box, Burger, Container, Drawer, Group } from "@mantine/core";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { AppearanceMenu } from "./appearance-menu.tsx";
import { Logo } from "./logo.tsx";
import { Navigation } from "./navigation.tsx";
import { AccountMenu } from "./session/account-menu.tsx";
import { OrganizationSwitcher } from "./session/organization-switcher.tsx";
import { useSession } from "./session/session.tsx";
import "./shell.css";

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
  return (
    <Group gap="xs" ml="auto" wrap="nowrap">
      {session.state === "signed-in" && <OrganizationSwitcher />}
      <AppearanceMenu />
      {session.state === "signed-in" && <AccountMenu />}
    </Group>
  );
}

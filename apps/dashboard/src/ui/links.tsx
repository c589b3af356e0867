/** Links to pages that look like the library's parts; targets and their parameters are checked by the compiler. */
import {
  Anchor,
  Button,
  type ButtonProps,
  NavLink,
  type NavLinkProps,
  type AnchorProps,
} from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";
import "./links.css";

type AnchorElementProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "color" | "style"> & {
  ref?: Ref<HTMLAnchorElement>;
};

export const TextLink = createLink((props: AnchorProps & AnchorElementProps) => <Anchor {...props} />);

export const ButtonLink = createLink((props: ButtonProps & AnchorElementProps) => (
  <Button component="a" {...props} />
));

/** One of the pages of a section. */
export const SectionLink = createLink((props: ButtonProps & AnchorElementProps) => (
  <Button
    component="a"
    size="xs"
    variant={props["aria-current"] === undefined ? "subtle" : "light"}
    {...props}
  />
));

export const NavigationLink = createLink((props: NavLinkProps & AnchorElementProps) => (
  <NavLink {...props} />
));

/** One of several views of the same thing, each with an address of its own. */
export const TabLink = createLink((props: AnchorElementProps) => <a {...props} className="tab-link" />);

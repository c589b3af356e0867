import { Badge, NavLink } from "@mantine/core";
import { type FieldGroup, groupOf } from "./field-groups.rules.ts";
import "./group-navigation.css";

interface GroupNavigationProps {
  groups: readonly FieldGroup[];
  chosen: string;
  changedFields: readonly string[];
  faultyPaths: readonly string[];
  onChoose: (id: string) => void;
}

/** The groups of settings, with marks at those that have changes or faults. */
export function GroupNavigation({
  groups,
  chosen,
  changedFields,
  faultyPaths,
  onChoose,
}: GroupNavigationProps) {
  const countIn = (id: string, paths: readonly string[]): number =>
    paths.filter((path) => groupOf(groups, path)?.id === id).length;
  return (
    <nav aria-label="Groups of settings" className="group-navigation">
      {groups.map(({ id, title }) => {
        const faults = countIn(id, faultyPaths);
        const changes = countIn(id, changedFields);
        return (
          <NavLink
            key={id}
            component="button"
            type="button"
            label={title}
            active={id === chosen}
            aria-current={id === chosen ? "true" : undefined}
            onClick={() => onChoose(id)}
            rightSection={
              faults > 0 ? (
                <Badge color="red" size="sm" aria-label={`${faults} to correct`}>
                  {faults}
                </Badge>
              ) : changes > 0 ? (
                <Badge variant="light" size="sm" aria-label={`${changes} changed`}>
                  {changes}
                </Badge>
              ) : null
            }
          />
        );
      })}
    </nav>
  );
}

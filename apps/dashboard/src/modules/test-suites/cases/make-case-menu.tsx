import { Button, Menu } from "@mantine/core";
import type { CallDetail } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import ChevronDown from "lucide-react/icons/chevron-down";
import ListChecks from "lucide-react/icons/list-checks";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { agentSuitesQuery } from "../test-suites.queries.ts";

/** Makes a test case of what was said in a call, in one of its agent's suites. */
export function MakeCaseMenu({ call: { id: callId, agentId } }: { call: CallDetail }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const { data: suites } = useQuery({ ...agentSuitesQuery(useParley(), agentId), enabled: isOpen });
  return (
    <Menu position="bottom-end" opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<ListChecks size={16} aria-hidden />}
          rightSection={<ChevronDown size={14} aria-hidden />}
        >
          Make a test case
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>In the test suite</Menu.Label>
        {suites?.map(({ id: suiteId, name }) => (
          <Menu.Item
            key={suiteId}
            onClick={() =>
              void navigate({ to: "/test-suites/$suiteId/new-case", params: { suiteId }, search: { callId } })
            }
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Item
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => void navigate({ to: "/test-suites/new", search: { agentId, callId } })}
        >
          A new one
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

import { Button, Menu } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import ChevronDown from "lucide-react/icons/chevron-down";
import ListChecks from "lucide-react/icons/list-checks";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { toast } from "../../../ui/toast.ts";
import { agentSuitesQuery } from "../test-suites.queries.ts";

/** The call, or the conversation by text. */
type Source = { callId: string } | { conversationId: string };

/** Makes a case of what was said, with mocks of the tools and assertions, and shows it. */
export function useCreateCase(): (suiteId: string, source: Source) => Promise<void> {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async (suiteId, source) => {
    const { id: testId } = await parley.createTestCaseFromCall(suiteId, source);
    await queryClient.invalidateQueries({ queryKey: ["test-suites"] });
    toast.done("The case is made. Say what the agent must do this time.");
    await navigate({ to: "/test-suites/$suiteId/tests/$testId", params: { suiteId, testId } });
  };
}

interface MakeCaseMenuProps {
  agentId: string;
  source: Source;
}

/** Makes a test case of what was said, in one of the agent's suites. */
export function MakeCaseMenu({ agentId, source }: MakeCaseMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const createCase = useCreateCase();
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
            onClick={() => void createCase(suiteId, source).catch((error: unknown) => toast.failed(error))}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Item
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => void navigate({ to: "/test-suites/new", search: { agentId, ...source } })}
        >
          A new one
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

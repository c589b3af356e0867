import { Badge, Button, Code, Group, Modal, Stack, Text } from "@mantine/core";
import type { CustomTool, CustomToolTest } from "@parley/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { JsonEditor } from "../../../ui/json-editor.tsx";
import { readJsonObject } from "../../../ui/json-text.rules.ts";
import { Problem } from "../../../ui/problem.tsx";

interface ToolTestProps {
  agentId: string;
  tool: CustomTool;
  onClose: () => void;
}

/** Sends the tool's request with arguments as the language model would choose them, and shows the answer. */
export function ToolTest({ agentId, tool, onClose }: ToolTestProps) {
  const parley = useParley();
  const [text, setText] = useState("{\n  \n}");
  const read = readJsonObject(text);
  const test = useMutation({
    mutationFn: async (values: Record<string, unknown>) =>
      await parley.testCustomTool(agentId, tool.id, { arguments: values }),
  });
  return (
    <Modal opened onClose={onClose} size="lg" title={`Test ${tool.name}`}>
      <Stack>
        <JsonEditor
          label="Arguments"
          description="As the language model would choose them. The request really reaches your server."
          error={"fault" in read ? read.fault : undefined}
          text={text}
          onChange={setText}
        />
        <Group justify="flex-end">
          <Button
            loading={test.isPending}
            disabled={"fault" in read}
            onClick={() => "value" in read && test.mutate(read.value)}
          >
            Send the request
          </Button>
        </Group>
        {test.error !== null && <Problem error={test.error} />}
        {test.data !== undefined && <Answer result={test.data} />}
      </Stack>
    </Modal>
  );
}

function Answer({ result: { request, status, durationMs, answer, problem } }: { result: CustomToolTest }) {
  return (
    <Stack gap="xs" role="status">
      <Group gap="xs">
        <Badge color={problem === null ? "house" : "red"}>{problem === null ? "Worked" : "Failed"}</Badge>
        {status !== null && <Text size="sm">HTTP {status}</Text>}
        <Text size="sm" c="dimmed">
          {durationMs} ms
        </Text>
      </Group>
      {problem !== null && <Text size="sm">{problem}</Text>}
      {answer !== null && (
        <>
          <Text size="sm" fw={600}>
            What the language model gets
          </Text>
          <Code block tabIndex={0}>
            {answer}
          </Code>
        </>
      )}
      {request !== null && (
        <>
          <Text size="sm" fw={600}>
            The request
          </Text>
          <Code block tabIndex={0}>
            {[
              `${request.method} ${request.url}`,
              ...headerLines(request.headers),
              "",
              request.body ?? "",
            ].join("\n")}
          </Code>
        </>
      )}
    </Stack>
  );
}

const headerLines = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

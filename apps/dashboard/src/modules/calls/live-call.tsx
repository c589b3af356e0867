import { Button, Checkbox, Group, Stack, Text, Textarea } from "@mantine/core";
import type { CallDetail } from "@parley/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import PhoneOff from "lucide-react/icons/phone-off";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";
import { isActive, otherRoleOf } from "./call-words.ts";
import { callQuery } from "./calls.queries.ts";
import { TranscriptLines } from "./transcript-lines.tsx";

const MAX_INSTRUCTION_CHARACTERS = 2000;

/** A call in progress: its transcript as it grows, instructions to the agent, and the end. */
export function LiveCall({ callId }: { callId: string }) {
  const query = useQuery(callQuery(useParley(), callId));
  return (
    <Loaded query={query}>
      {(call) => (
        <Stack gap="md">
          <LiveTranscript call={call} />
          {isActive(call) ? (
            <Allowed operation="instructCall">
              <LiveControls call={call} />
            </Allowed>
          ) : (
            <Text size="sm" c="dimmed" role="status">
              The call has ended.
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

/** Stays at its end while it grows, unless somebody has scrolled up. */
function LiveTranscript({ call }: { call: CallDetail }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const length = call.transcript.length;
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [length]);
  const note = (): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
  };
  return (
    <div
      ref={box}
      className="live-transcript"
      role="log"
      aria-label="What is said"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by keyboard
      tabIndex={0}
      onScroll={note}
    >
      {length === 0 ? (
        <Text c="dimmed">Nothing was said yet.</Text>
      ) : (
        <TranscriptLines items={call.transcript} otherRole={otherRoleOf(call)} />
      )}
    </div>
  );
}

function LiveControls({ call: { id } }: { call: CallDetail }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const [text, setText] = useState("");
  const [isSpoken, setSpoken] = useState(true);
  const instruct = useMutation({
    mutationFn: async () => await parley.instructCall(id, { instruction: text.trim(), speak: isSpoken }),
    onSuccess: () => {
      setText("");
      toast.done(isSpoken ? "The agent will say it." : "The agent will follow it.");
      void queryClient.invalidateQueries({ queryKey: ["calls"] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== "") instruct.mutate();
  };
  return (
    <Stack component="form" gap="xs" onSubmit={submit}>
      <Textarea
        label="Tell the agent"
        placeholder="Offer an appointment on Tuesday"
        autosize
        minRows={1}
        maxLength={MAX_INSTRUCTION_CHARACTERS}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {instruct.error !== null && <Problem error={instruct.error} />}
      <Group justify="space-between" gap="sm">
        <Checkbox
          label="Say it now"
          checked={isSpoken}
          onChange={({ target }) => setSpoken(target.checked)}
        />
        <Group gap="xs">
          <Button type="submit" variant="default" disabled={text.trim() === "" || instruct.isPending}>
            Send
          </Button>
          <HangUpButton callId={id} />
        </Group>
      </Group>
    </Stack>
  );
}

function HangUpButton({ callId }: { callId: string }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const hangUp = useMutation({
    mutationFn: async () => await parley.hangUpCall(callId),
    onSuccess: async () => await queryClient.invalidateQueries({ queryKey: ["calls"] }),
    onError: (error) => toast.failed(error),
  });
  return (
    <Button
      color="red"
      leftSection={<PhoneOff size={16} aria-hidden />}
      loading={hangUp.isPending}
      onClick={() => hangUp.mutate()}
    >
      Hang up
    </Button>
  );
}

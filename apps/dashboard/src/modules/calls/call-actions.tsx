import { Button, Menu } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import type { CallDetail } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import ChevronDown from "lucide-react/icons/chevron-down";
import Download from "lucide-react/icons/download";
import LinkIcon from "lucide-react/icons/link";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import Trash from "lucide-react/icons/trash-2";
import { useState } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { toast } from "../../ui/toast.ts";
import { MakeCaseMenu } from "../test-suites/cases/make-case-menu.tsx";
import { playableUrl, transcriptText } from "../web-calls/call-record.rules.ts";
import { isActive, otherRoleOf } from "./call-words.ts";
import { saveFile } from "../../ui/download.ts";

/** What one does with a call as a whole. */
export function CallActions({ call }: { call: CallDetail }) {
  const clipboard = useClipboard();
  const copy = (): void => {
    clipboard.copy(`${location.origin}/calls/${call.id}`);
    toast.done("The link is copied. It opens for members of your organization.");
  };
  return (
    <>
      <Button variant="default" leftSection={<LinkIcon size={16} aria-hidden />} onClick={copy}>
        Copy link
      </Button>
      {!isActive(call) && (
        <>
          <ButtonLink
            variant="default"
            leftSection={<RotateCcw size={16} aria-hidden />}
            to="/agents/$agentId"
            params={{ agentId: call.agentId }}
            search={{ rerun: call.id }}
          >
            Test again
          </ButtonLink>
          {call.transcript.some(({ role }) => role === "user") && (
            <Allowed operation="createTestCaseFromCall">
              <MakeCaseMenu agentId={call.agentId} source={{ callId: call.id }} />
            </Allowed>
          )}
          <Downloads call={call} />
          <Allowed operation="deleteCall">
            <Deletion call={call} />
          </Allowed>
        </>
      )}
    </>
  );
}

function Downloads({ call }: { call: CallDetail }) {
  const parley = useParley();
  const { id, recordingUrl, transcript, channel } = call;
  const saveTrace = async (): Promise<void> => {
    try {
      saveFile(`call-${id}.pcap`, await parley.getCallTracePcap(id));
    } catch (error) {
      toast.failed(error);
    }
  };
  const saveText = (): void =>
    saveFile(`call-${id}.txt`, new Blob([transcriptText(transcript, `${otherRoleOf(call)}:`)]));
  const saveJson = (): void => {
    const { recordingUrl: _link, ...kept } = call;
    saveFile(`call-${id}.json`, new Blob([JSON.stringify(kept, undefined, 2)]));
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
          rightSection={<ChevronDown size={14} aria-hidden />}
        >
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {recordingUrl !== null && (
          <Menu.Item
            component="a"
            href={playableUrl(recordingUrl, location.origin)}
            download={`call-${id}.opus`}
          >
            Recording
          </Menu.Item>
        )}
        {transcript.length > 0 && <Menu.Item onClick={saveText}>Transcript as text</Menu.Item>}
        <Menu.Item onClick={saveJson}>Everything as JSON</Menu.Item>
        {channel === "phone" && <Menu.Item onClick={() => void saveTrace()}>SIP messages as pcap</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}

type Deletable = "call" | "recording" | "transcript";

const deletions: Readonly<Record<Deletable, { title: string; text: string; done: string }>> = {
  call: {
    title: "Delete this call?",
    text: "Its record, recording, transcript, results and webhooks are deleted for good, and it no longer counts in the overview.",
    done: "The call is deleted.",
  },
  recording: {
    title: "Delete the recording?",
    text: "The sound is deleted for good. The transcript stays.",
    done: "The recording is deleted.",
  },
  transcript: {
    title: "Delete the transcript?",
    text: "The transcript and the results made from it are deleted for good. The recording stays.",
    done: "The transcript is deleted.",
  },
};

function Deletion({ call }: { call: CallDetail }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Deletable>();
  const [shown, setShown] = useState<Deletable>("call");
  const ask = (what: Deletable): void => {
    setShown(what);
    setAsked(what);
  };
  const confirm = async (): Promise<void> => {
    if (shown === "call") await parley.deleteCall(call.id);
    if (shown === "recording") await parley.deleteCallRecording(call.id);
    if (shown === "transcript") await parley.deleteCallTranscript(call.id);
    toast.done(deletions[shown].done);
    if (shown === "call") {
      queryClient.removeQueries({ queryKey: ["calls", call.id] });
      await navigate({ to: "/calls" });
    }
    await queryClient.invalidateQueries({ queryKey: ["calls"] });
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<Trash size={16} aria-hidden />}
            rightSection={<ChevronDown size={14} aria-hidden />}
          >
            Delete
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => ask("call")}>The call</Menu.Item>
          {call.recordingUrl !== null && (
            <Menu.Item onClick={() => ask("recording")}>Its recording</Menu.Item>
          )}
          {call.transcriptDeletedAt === null && call.transcript.length > 0 && (
            <Menu.Item onClick={() => ask("transcript")}>Its transcript</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={deletions[shown].title}
        confirm="Delete"
        onConfirm={confirm}
      >
        {deletions[shown].text}
      </ConfirmDialog>
    </>
  );
}

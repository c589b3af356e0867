import {
  Alert,
  Checkbox,
  FileInput,
  Modal,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import type { CreatedVoice } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { FormFooter } from "../../ui/form-footer.tsx";
import { messageOf } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { languagesQuery } from "../agents/agents.queries.ts";
import { RecordedSample } from "./recorded-sample.tsx";
import { SampleRecorder } from "./sample-recorder.tsx";
import { decodeSound, encodeWav, findLengthProblem } from "./sample-sound.ts";

interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
}

/** Decoding, checking and cloning take some seconds; other recordings may come first. */
const CREATE_TIMEOUT_MS = 90_000;
const CONSENT =
  "Confirmed in the dashboard: the speaker agrees that this voice is made from the recording and used by agents.";

/** Makes a voice from a recording by microphone, or from a file. */
export function CreateVoiceDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create a voice" size="lg" centered>
      <CreateForm onClose={onClose} />
    </Modal>
  );
}

interface Values {
  displayName: string;
  language: string;
  voice: AudioBuffer | null;
  hasConsent: boolean;
}

function CreateForm({ onClose }: Pick<DialogProps, "onClose">) {
  const { form, saving, submit, problem } = useCreateForm(onClose);
  const parley = useParley();
  const languages = useQuery(languagesQuery(parley));
  const { language, voice } = form.getValues();
  const setSound = (sound: AudioBuffer | null): void => {
    form.setFieldValue("voice", sound);
    form.setFieldError("voice", sound === null ? null : (findLengthProblem(sound) ?? null));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Select
          label="Language of the recording"
          data={(languages.data ?? [])
            .filter(({ isSpoken }) => isSpoken)
            .map(({ id, displayName }) => ({ value: id, label: displayName }))}
          searchable
          allowDeselect={false}
          data-path="language"
          {...form.getInputProps("language")}
        />
        <Sample language={language} sound={voice} onSound={setSound} />
        {form.errors["voice"] !== undefined && (
          <Alert color="red" role="alert" data-path="voice" tabIndex={-1}>
            The recording {form.errors["voice"]}.
          </Alert>
        )}
        <TextInput label="Name" data-path="displayName" required {...form.getInputProps("displayName")} />
        <Checkbox
          label="The speaker agrees that this voice is made and used."
          description="Cloning a voice without consent is illegal in many countries. The audit log keeps this confirmation."
          data-path="hasConsent"
          {...form.getInputProps("hasConsent", { type: "checkbox" })}
        />
        <FormFooter
          problem={problem}
          isSaving={saving.isPending}
          onCancel={onClose}
          action="Create"
          isReady={voice !== null}
        />
      </Stack>
    </form>
  );
}

function useCreateForm(onClose: () => void) {
  const parley = useParley();
  const queryClient = useQueryClient();
  return useApiForm<Values, CreatedVoice>({
    initialValues: { displayName: "", language: "en", voice: null, hasConsent: false },
    validate: ({ displayName, voice, hasConsent }) => ({
      displayName: displayName.trim() === "" ? "is required" : undefined,
      voice: voice === null ? "is missing" : findLengthProblem(voice),
      hasConsent: hasConsent ? undefined : "is required",
    }),
    save: async ({ displayName, language, voice }) => {
      if (voice === null) throw new Error("There is no recording yet.");
      const body = { displayName, language, consent: CONSENT, voice: encodeWav(voice) };
      return await parley.createVoice(body, { timeoutMs: CREATE_TIMEOUT_MS });
    },
    onSaved: async ({ displayName, status }) => {
      onClose();
      toast.done(
        status === "processing"
          ? `The voice ${displayName} is being cloned.`
          : `The voice ${displayName} is ready.`,
      );
      await queryClient.invalidateQueries({ queryKey: ["voices"] });
    },
  });
}

interface SampleProps {
  language: string;
  sound: AudioBuffer | null;
  onSound: (sound: AudioBuffer | null) => void;
}

function Sample({ language, sound, onSound }: SampleProps) {
  const [way, setWay] = useState("microphone");
  const [problem, setProblem] = useState<string>();
  const take = (next: AudioBuffer): void => {
    setProblem(undefined);
    onSound(next);
  };
  const fail = (error: unknown): void => setProblem(messageOf(error));
  if (sound !== null) return <RecordedSample sound={sound} onDiscard={() => onSound(null)} />;
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Where the recording comes from"
        data={[
          { value: "microphone", label: "Microphone" },
          { value: "file", label: "File" },
        ]}
        value={way}
        onChange={setWay}
      />
      {way === "microphone" ? (
        <SampleRecorder language={language} onRecorded={take} onFailed={fail} />
      ) : (
        <FileInput
          label="Recording"
          description="One person who speaks for 10 to 30 seconds. WAV, MP3, M4A, FLAC, Ogg or WebM."
          placeholder="Choose a file"
          accept="audio/*,video/webm,.m4a,.flac,.ogg,.opus"
          onChange={(file) => {
            if (file !== null) decodeSound(file).then(take, fail);
          }}
        />
      )}
      {problem !== undefined && (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
    </Stack>
  );
}

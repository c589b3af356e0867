import { ActionIcon, Group, Select } from "@mantine/core";
import type { Voice } from "@parley/client";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import Play from "lucide-react/icons/play";
import Square from "lucide-react/icons/square";
import { useParley } from "../../../app/session/session.tsx";
import type { FieldDescription } from "../../../ui/field-table.rules.ts";
import { explain } from "../../../ui/schema-field.rules.ts";
import { languagesQuery, modelsQuery, voicesQuery } from "../agents.queries.ts";
import { withRegions } from "./languages.rules.ts";
import { useVoicePreview } from "./use-voice-preview.ts";

/** Fields that name what the server's providers offer. */
export const offerNames = ["language", "llmModel", "voiceId", "fallbackVoiceId"] as const;
type OfferName = (typeof offerNames)[number];

const labels: Readonly<Record<OfferName, string>> = {
  language: "Language",
  llmModel: "Language model",
  voiceId: "Voice",
  fallbackVoiceId: "Fallback voice",
};

interface OfferFieldProps {
  form: UseFormReturnType<Record<string, unknown>>;
  name: OfferName;
  description: FieldDescription;
}

interface Choice {
  value: string;
  label: string;
}

/** Choice of a voice, model or language by name, among those that the server can use. */
export function OfferField({ form, name, description }: OfferFieldProps) {
  const { value, error } = form.getInputProps(name) as { value: string | null; error?: string };
  const isVoice = name === "voiceId" || name === "fallbackVoiceId";
  const { language } = form.getValues() as { language: string };
  const { choices, problem } = useChoices(name, language);
  // What is stored stays visible although it is offered no more.
  const isMissing = value !== null && choices?.some((choice) => choice.value === value) === false;
  const data = isMissing ? [{ value, label: value }, ...choices] : (choices ?? []);
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <Select
        flex={1}
        label={labels[name]}
        description={explain(description.schema?.description)}
        error={error ?? problem}
        placeholder={isVoice ? "Default" : ""}
        clearable={isVoice}
        allowDeselect={isVoice}
        searchable
        nothingFoundMessage="Nothing on this server has this name."
        limit={200}
        data={data}
        value={choices === undefined ? null : value}
        onChange={(next) => form.setFieldValue(name, next)}
        data-path={name}
      />
      {isVoice && <PreviewButton voiceId={value} label={labels[name]} language={language} />}
    </Group>
  );
}

function useChoices(name: OfferName, language: string): { choices: Choice[] | undefined; problem?: string } {
  const parley = useParley();
  const isVoice = name === "voiceId" || name === "fallbackVoiceId";
  const voices = useQuery({ ...voicesQuery(parley, language), enabled: isVoice });
  const models = useQuery({ ...modelsQuery(parley), enabled: name === "llmModel" });
  const languages = useQuery({ ...languagesQuery(parley), enabled: name === "language" });
  const failure = voices.error ?? models.error ?? languages.error;
  const problem = failure === null ? {} : { problem: failure.message };
  if (isVoice)
    return {
      choices: voices.data?.filter(({ status }) => status === "ready").map(toVoiceChoice),
      ...problem,
    };
  if (name === "llmModel")
    return {
      choices: models.data?.map(({ id, displayName, isDefault }) => ({
        value: id,
        label: isDefault ? `Default: ${displayName}` : displayName,
      })),
      ...problem,
    };
  return {
    choices: languages.data?.filter(({ isHeard, isSpoken }) => isHeard && isSpoken).flatMap(withRegions),
    ...problem,
  };
}

function toVoiceChoice({ id, displayName, language, gender, isDefault, source }: Voice): Choice {
  const parts = [
    displayName,
    language,
    gender,
    source === "custom" ? "your own" : id,
    isDefault ? "default" : null,
  ];
  return { value: id, label: parts.filter((part) => part !== null).join(" · ") };
}

interface PreviewButtonProps {
  /** Null: the default voice, whose name the list has. */
  voiceId: string | null;
  label: string;
  language: string;
}

function PreviewButton({ voiceId, label, language }: PreviewButtonProps) {
  const { data: voices } = useQuery(voicesQuery(useParley(), language));
  const id = voiceId ?? voices?.find(({ isDefault }) => isDefault)?.id;
  const { state, toggle } = useVoicePreview(id, language);
  const isPlaying = state === "playing";
  return (
    <ActionIcon
      variant="default"
      size={36}
      disabled={id === undefined}
      loading={state === "loading"}
      aria-label={
        isPlaying ? `Stop the preview of the ${label.toLowerCase()}` : `Listen to the ${label.toLowerCase()}`
      }
      onClick={toggle}
    >
      {isPlaying ? <Square size={16} aria-hidden /> : <Play size={16} aria-hidden />}
    </ActionIcon>
  );
}

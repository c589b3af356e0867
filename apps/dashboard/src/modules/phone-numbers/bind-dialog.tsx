import { Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Parley, PhoneNumber } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { useParley } from "../../app/session/session.tsx";
import { FormFooter } from "../../ui/form-footer.tsx";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { environmentsQuery } from "../agents/agents.queries.ts";
import { numberAgentsQuery, numberTrunksQuery } from "./phone-numbers.queries.ts";
import { useReload } from "./use-reload.ts";

const PRODUCTION = "production";

interface Values {
  e164: string;
  agentId: string;
  environment: string;
  /** Only for an agent that has no trunk yet. */
  sipTrunkId: string;
}

interface BindDialogProps {
  /** `undefined`: a new one. */
  number?: PhoneNumber;
  onClose: () => void;
}

function useBindForm({ number, onClose }: BindDialogProps) {
  const parley = useParley();
  const reload = useReload();
  const { data: agents } = useQuery(numberAgentsQuery(parley));
  const isMove = number !== undefined && number.agentId !== null;
  const needsTrunk = (agentId: string): boolean => !isMove && agents?.get(agentId)?.sipTrunkId === null;
  const bound = useApiForm<Values, PhoneNumber>({
    initialValues: {
      e164: number?.e164 ?? "",
      agentId: number?.agentId ?? "",
      environment: number?.environment ?? PRODUCTION,
      sipTrunkId: number?.sipTrunkId ?? "",
    },
    validate: ({ e164, agentId, sipTrunkId }) => ({
      e164: e164.startsWith("+") ? undefined : "must begin with + and the country code",
      agentId: agentId === "" ? "is required" : undefined,
      sipTrunkId: needsTrunk(agentId) && sipTrunkId === "" ? "is required" : undefined,
    }),
    save: async (values) => {
      if (needsTrunk(values.agentId))
        await parley.updateAgent(values.agentId, { sipTrunkId: values.sipTrunkId });
      return await bind(parley, number, values);
    },
    onSaved: async ({ e164 }) => {
      await reload();
      toast.done(`${e164} is bound.`);
      onClose();
    },
  });
  const { agentId } = bound.form.getValues();
  const trunkId = isMove ? number.sipTrunkId : agents?.get(agentId)?.sipTrunkId;
  return { ...bound, agents, agentId, trunkId, needsTrunk: needsTrunk(agentId) };
}

/** Binds a number to an agent and an environment. An agent without a trunk gets one on the way. */
export function BindDialog({ number, onClose }: BindDialogProps) {
  const { form, saving, submit, problem, agents, agentId, trunkId, needsTrunk } = useBindForm({
    ...(number !== undefined && { number }),
    onClose,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={number === undefined ? "Add a number" : `Bind ${number.e164}`}
      closeOnClickOutside={false}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          {number === undefined && (
            <TextInput
              label="Number"
              description="With its country code, as your carrier or PBX sends it."
              type="tel"
              placeholder="+1 202 555 0143"
              required
              data-autofocus
              data-path="e164"
              {...form.getInputProps("e164")}
            />
          )}
          <Select
            label="Agent"
            description="It answers calls to the number."
            required
            searchable
            data={[...(agents ?? [])].map(([value, { name }]) => ({ value, label: name }))}
            nothingFoundMessage="No agent has this name."
            data-path="agentId"
            {...form.getInputProps("agentId")}
            onChange={(id) => form.setValues({ agentId: id ?? "", environment: PRODUCTION })}
          />
          <EnvironmentField
            agentId={agentId}
            value={form.getValues().environment}
            error={form.errors["environment"]}
            onChange={(environment) => form.setValues({ environment })}
          />
          <TrunkField form={form} isNeeded={needsTrunk} trunkId={trunkId} />
          <FormFooter problem={problem} isSaving={saving.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

interface TrunkFieldProps {
  form: UseFormReturnType<Values>;
  isNeeded: boolean;
  trunkId: string | null | undefined;
}

/** The trunk of the number; a choice only for an agent that has none. */
function TrunkField({ form, isNeeded, trunkId }: TrunkFieldProps) {
  const { data: trunks } = useQuery(numberTrunksQuery(useParley()));
  if (isNeeded)
    return (
      <Select
        label="SIP trunk"
        description="The agent has none yet. Its calls will come and go through this one."
        required
        data={[...(trunks ?? [])].map(([value, label]) => ({ value, label }))}
        data-path="sipTrunkId"
        {...form.getInputProps("sipTrunkId")}
      />
    );
  if (typeof trunkId !== "string") return null;
  return (
    <Text size="sm" c="dimmed">
      Calls come through the trunk {trunks?.get(trunkId) ?? "…"}.
    </Text>
  );
}

async function bind(parley: Parley, number: PhoneNumber | undefined, values: Values): Promise<PhoneNumber> {
  const { e164, agentId, environment } = values;
  if (number === undefined || number.agentId === null)
    return await parley.addPhoneNumber(agentId, { e164, environment });
  return await parley.updatePhoneNumber(number.agentId, number.id, { agentId, environment });
}

interface EnvironmentFieldProps {
  agentId: string;
  value: string;
  error: React.ReactNode;
  onChange: (environment: string) => void;
}

function EnvironmentField({ agentId, value, error, onChange }: EnvironmentFieldProps) {
  const { data } = useQuery({ ...environmentsQuery(useParley(), agentId), enabled: agentId !== "" });
  return (
    <Select
      label="Environment"
      description="Version and variables of the agent for these calls."
      allowDeselect={false}
      disabled={agentId === ""}
      data={data?.map(({ name }) => name) ?? [PRODUCTION]}
      value={value}
      error={error}
      onChange={(name) => onChange(name ?? PRODUCTION)}
      data-path="environment"
    />
  );
}

import { Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import { TextLink } from "../../../ui/links.tsx";
import { SchemaField } from "../../../ui/schema-field.tsx";
import { VariablesField } from "../../../ui/variables-field.tsx";
import { environmentsQuery } from "../../agents/agents.queries.ts";
import { campaignFields } from "../campaign-fields.at-build.ts";
import { callerIdsQuery, callingAgentsQuery } from "../campaigns.queries.ts";
import type { CampaignFormProps } from "./campaign-form.ts";
import type { CampaignValues } from "./campaign-values.rules.ts";

const PRODUCTION = "production";

/** Who calls: the agent, its caller ID and environment, and what it knows about everybody. */
export function LineFields({ form }: CampaignFormProps) {
  const { data: agents } = useQuery(callingAgentsQuery(useParley()));
  const { agentId, defaultVariables, callingWindow } = form.getValues();
  const choose = (id: string): void =>
    form.setValues({
      agentId: id,
      fromNumber: "",
      environment: PRODUCTION,
      callingWindow: { ...callingWindow, timezone: agents?.get(id)?.timezone ?? callingWindow.timezone },
    });
  return (
    <Stack>
      <SchemaField form={form} path="name" schema={campaignFields["name"] ?? {}} required />
      <Select
        label="Agent"
        description="It places the calls. How it begins and what it knows is set on its page."
        required
        searchable
        data={[...(agents ?? [])].map(([value, { name }]) => ({ value, label: name }))}
        nothingFoundMessage="No agent has this name."
        data-path="agentId"
        {...form.getInputProps("agentId")}
        onChange={(id) => choose(id ?? "")}
      />
      <CallerId form={form} sipTrunkId={agents?.get(agentId)?.sipTrunkId} />
      <Environment form={form} />
      <VariablesField
        label="Variables of all contacts"
        description="They override those of the agent and the environment; a contact’s own override them."
        error={form.errors["defaultVariables"] as string | undefined}
        path="defaultVariables"
        value={defaultVariables}
        onChange={(next) =>
          form.setFieldValue("defaultVariables", next as CampaignValues["defaultVariables"])
        }
      />
    </Stack>
  );
}

interface CallerIdProps extends CampaignFormProps {
  sipTrunkId: string | null | undefined;
}

function CallerId({ form, sipTrunkId }: CallerIdProps) {
  const { data: numbers } = useQuery(callerIdsQuery(useParley(), sipTrunkId));
  const { agentId } = form.getValues();
  if (sipTrunkId === null)
    return (
      <Text size="sm" role="status">
        The agent has no trunk, and cannot call anybody yet.{" "}
        <TextLink to="/phone-numbers" inherit>
          Bind a number of a trunk to it.
        </TextLink>
      </Text>
    );
  return (
    <Select
      label="Caller ID"
      description="What the called people see: a number on the agent’s trunk."
      required
      disabled={agentId === ""}
      data={numbers ?? []}
      nothingFoundMessage="The trunk has no numbers."
      data-path="fromNumber"
      {...form.getInputProps("fromNumber")}
      onChange={(number) => form.setFieldValue("fromNumber", number ?? "")}
    />
  );
}

function Environment({ form }: CampaignFormProps) {
  const { agentId } = form.getValues();
  const { data } = useQuery({ ...environmentsQuery(useParley(), agentId), enabled: agentId !== "" });
  return (
    <Select
      label="Environment"
      description="Version and variables of the agent for these calls."
      allowDeselect={false}
      disabled={agentId === ""}
      data={data?.map(({ name }) => name) ?? [PRODUCTION]}
      data-path="environment"
      {...form.getInputProps("environment")}
      onChange={(name) => form.setFieldValue("environment", name ?? PRODUCTION)}
    />
  );
}

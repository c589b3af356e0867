import { type Agent, ApiError } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { changedNames, findFaults } from "../../../ui/field-table.rules.ts";
import { toast } from "../../../ui/toast.ts";
import { useApiForm } from "../../../ui/use-api-form.ts";
import { agentFields } from "../agent-fields.at-build.ts";
import { agentQuery } from "../agents.queries.ts";

type Values = Record<string, unknown>;

const names = Object.keys(agentFields) as (keyof typeof agentFields)[];

const valuesOf = (agent: Agent): Values => Object.fromEntries(names.map((name) => [name, agent[name]]));

/**
 * The form of an agent's settings. Saves only what was changed, and only if the agent is as it was when the page loaded it.
 *
 * @param onFault Called with the path of the first faulty field.
 */
export function useAgentForm(agent: Agent, onFault: (path: string) => void) {
  const parley = useParley();
  const queryClient = useQueryClient();
  // The state that the changes are based on.
  const [base, setBase] = useState(agent);
  const [isConflict, setConflict] = useState(false);
  const apiForm = useApiForm<Values, Agent>({
    initialValues: valuesOf(agent),
    validate: (values) => findFaults(agentFields, values),
    save: async (values) => {
      const changed = changedNames(names, valuesOf(base), values);
      const change = Object.fromEntries(changed.map((name) => [name, values[name]]));
      return await parley.updateAgent(agent.id, { ...change, ifUpdatedAt: base.updatedAt });
    },
    onSaved: (saved) => {
      adopt(saved);
      queryClient.setQueryData(agentQuery(parley, agent.id).queryKey, saved);
      void queryClient.invalidateQueries({ queryKey: ["agents", "list"] });
      toast.done(saved.hasUnpublishedChanges ? "Saved as draft. Publish it to make it live." : "Saved.");
    },
    onFaults: ([path]) => path !== undefined && onFault(path),
  });
  const { form, saving } = apiForm;
  const adopt = (state: Agent): void => {
    setBase(state);
    form.setInitialValues(valuesOf(state));
    form.setValues(valuesOf(state));
    form.resetDirty(valuesOf(state));
    form.clearErrors();
  };
  const isDirty = form.isDirty();
  useEffect(() => {
    if (agent.updatedAt !== base.updatedAt && !isDirty) adopt(agent);
  });
  useEffect(() => {
    if (saving.error instanceof ApiError && saving.error.code === "agent_changed") setConflict(true);
  }, [saving.error]);
  const changedFields = changedNames(names, valuesOf(base), form.getValues());
  /** Bases the changes on a newer state. */
  const rebase = (theirs: Agent): void => {
    const values = valuesOf(theirs);
    setBase(theirs);
    for (const name of names) if (!changedFields.includes(name)) form.setFieldValue(name, values[name]);
  };
  return { ...apiForm, base, adopt, rebase, changedFields, isConflict, setConflict };
}

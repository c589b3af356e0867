import { type Parley } from "@parley/client";
import { useQuery } from "@tanstack/react-query";

interface NoLanguageModelProps {
  parley: Parley;
  /** The agent's `llmModel`. */
  llmModel: string;
}

/** Says that an agent answers without a language model, and how to get one; nothing if it has one. */
export function NoLanguageModel({ parley, llmModel }: NoLanguageModelProps) {
  const models = useQuery({
    queryKey: ["models"],
    queryFn: async ({ signal }) => await parley.listModels({ signal }),
  });
  const model = models.data?.find(({ id }) => id === llmModel);
  if (model === undefined || model.isLanguageModel) return null;
  return (
    <p role="note" className="notice warning">
      {model.hint}
    </p>
  );
}

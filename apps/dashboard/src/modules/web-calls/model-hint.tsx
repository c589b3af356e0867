import { type Parley } from "@parley/client";
import { useQuery } from "@tanstack/react-query";

interface ModelHintProps {
  parley: Parley;
  /** The agent's `llmModel`. */
  llmModel: string;
}

/** Says what an agent's language model lacks and what to do about it; nothing if nothing is missing. */
export function ModelHint({ parley, llmModel }: ModelHintProps) {
  const models = useQuery({
    queryKey: ["models"],
    queryFn: async ({ signal }) => await parley.listModels({ signal }),
  });
  const hint = models.data?.find(({ id }) => id === llmModel)?.hint ?? null;
  if (hint === null) return null;
  return (
    <p role="note" className="notice warning">
      {hint}
    </p>
  );
}

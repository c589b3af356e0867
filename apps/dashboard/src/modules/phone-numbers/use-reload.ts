import { useQueryClient } from "@tanstack/react-query";

/** Numbers are part of their agents, and both are asked for again. */
export function useReload(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    for (const name of ["phone-numbers", "agents"]) await queryClient.invalidateQueries({ queryKey: [name] });
  };
}

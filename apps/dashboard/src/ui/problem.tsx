import { Alert, Button, Stack, Text } from "@mantine/core";
import { ApiError } from "@parley/client";
import CircleAlert from "lucide-react/icons/circle-alert";

interface ProblemProps {
  /** An error, or its text. */
  error: unknown;
  /** Repeats what failed. */
  onRetry?: (() => void) | undefined;
}

/** What went wrong, in the words of the API, and the number of the request for the operator's log. */
export function Problem({ error, onRetry }: ProblemProps) {
  return (
    <Alert role="alert" color="red" variant="light" icon={<CircleAlert size={18} aria-hidden />}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{messageOf(error)}</Text>
        {error instanceof ApiError && error.status >= 500 && error.requestId !== undefined && (
          <Text size="xs">The operator finds it in the log as request {error.requestId}.</Text>
        )}
        {onRetry !== undefined && (
          <Button variant="default" size="xs" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Text of something that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

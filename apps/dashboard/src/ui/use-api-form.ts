import { useForm, type UseFormReturnType } from "@mantine/form";
import { ApiError } from "@parley/client";
import { useMutation, type UseMutationResult } from "@tanstack/react-query";
import { valueOf } from "./field-table.rules.ts";

const RENDER_MS = 50;

interface ApiFormOptions<Values extends object, Saved> {
  initialValues: Values;
  /** Faults by path, checked before the API is asked. */
  validate?: (values: Values) => Record<string, string | undefined>;
  save: (values: Values) => Promise<Saved>;
  onSaved: (saved: Saved) => void | Promise<void>;
  /** Called with the paths of faulty fields before the first gets the focus, for forms that do not show all at once. */
  onFaults?: (paths: readonly string[]) => void;
}

interface ApiForm<Values extends object, Saved> {
  form: UseFormReturnType<Values>;
  saving: UseMutationResult<Saved, Error, Values>;
  /** For `onSubmit` of the form element. */
  submit: (event?: React.FormEvent<HTMLFormElement>) => void;
  /** What went wrong apart from single fields, which show their faults themselves. */
  problem: Error | undefined;
}

/** A form whose values go to the API: shows the API's objections at their fields, and focuses the first. */
export function useApiForm<Values extends object, Saved>(
  options: ApiFormOptions<Values, Saved>,
): ApiForm<Values, Saved> {
  const { initialValues, validate, save, onSaved, onFaults } = options;
  const showFaults = (faults: object): void => {
    const paths = Object.keys(faults);
    onFaults?.(paths);
    focusField(paths[0]);
  };
  const form = useForm<Values>({
    initialValues,
    validateInputOnBlur: true,
    ...(validate !== undefined && { validate }),
  });
  const saving = useMutation<Saved, Error, Values>({
    mutationFn: save,
    onSuccess: async (saved) => await onSaved(saved),
    onError: (error, values) => {
      const faults = faultsOf(error, values);
      form.setErrors(faults);
      showFaults(faults);
    },
  });
  const submit = form.onSubmit((values) => saving.mutate(values), showFaults);
  const hasFaults = Object.keys(faultsOf(saving.error, saving.variables)).length > 0;
  return { form, saving, submit, problem: hasFaults ? undefined : (saving.error ?? undefined) };
}

function faultsOf(error: unknown, values: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const named = error.issues.filter(({ path }) => path !== "");
  return Object.fromEntries(named.map(({ path, message }) => placeFault(path, message, values)));
}

/** A fault of one text of a list is shown at the list, which is one field, with the text. */
function placeFault(path: string, message: string, values: unknown): [string, string] {
  const list = /^(.+)\.\d+$/.exec(path)?.[1];
  const entry = valueOf(values, path);
  return list === undefined || typeof entry !== "string" ? [path, message] : [list, `${entry} ${message}`];
}

/** After the field is rendered, which may take a change of the part of the form that is shown. */
function focusField(path: string | undefined): void {
  if (path === undefined) return;
  setTimeout(() => findField(path)?.focus(), RENDER_MS);
}

function findField(path: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`);
}

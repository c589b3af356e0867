import { Button, Group, Text } from "@mantine/core";
import type { DoNotCallEntry } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Download from "lucide-react/icons/download";
import PhoneOff from "lucide-react/icons/phone-off";
import Plus from "lucide-react/icons/plus";
import Upload from "lucide-react/icons/upload";
import { useState } from "react";
import { Allowed, useMay } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { saveFile } from "../../ui/download.ts";
import { SearchField } from "../../ui/search-field.tsx";
import { toast } from "../../ui/toast.ts";
import { SettingsHeader } from "../settings/settings-header.tsx";
import { AddDialog, ImportDialog } from "./add-dialogs.tsx";
import { DailyLimitCard } from "./daily-limit-card.tsx";
import { doNotCallQuery } from "./do-not-call.queries.ts";

const route = getRouteApi("/shell/in/settings/do-not-call");

type Dialog = "add" | "import";

/** Numbers that are never called. */
export function DoNotCallPage() {
  const { page = 1, phoneNumber } = route.useSearch();
  const navigate = route.useNavigate();
  const entries = useQuery(
    doNotCallQuery(useParley(), { page, ...(phoneNumber !== undefined && { phoneNumber }) }),
  );
  const mayRemove = useMay()("deleteDoNotCall");
  const [dialog, setDialog] = useState<Dialog>();
  const [removed, setRemoved] = useState<DoNotCallEntry>();
  const close = (): void => setDialog(undefined);
  return (
    <>
      <SettingsHeader
        title="Do not call"
        description="No campaign and no API call dials these numbers."
        actions={
          <Allowed operation="addDoNotCall">
            <AddButtons onChoose={setDialog} />
          </Allowed>
        }
      />
      <Group mb="md" justify="space-between">
        <SearchField
          label="Whole number, such as +4930123456"
          value={phoneNumber}
          onChange={(text) => void navigate({ search: { phoneNumber: text }, replace: true })}
        />
        <ExportButton />
      </Group>
      <DataTable
        label="Numbers that are not called"
        query={entries}
        columns={columnsFor(mayRemove ? setRemoved : undefined)}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        empty={
          <EmptyState
            icon={PhoneOff}
            title={phoneNumber === undefined ? "No numbers yet" : "This number is not on the list"}
          >
            {phoneNumber === undefined
              ? "Add people who do not want to be called, one by one or from a CSV file."
              : "Search for the whole number with its country code, as in +4930123456."}
          </EmptyState>
        }
      />
      <DailyLimitCard />
      <AddDialog isOpen={dialog === "add"} onClose={close} />
      <ImportDialog isOpen={dialog === "import"} onClose={close} />
      <RemoveDialog entry={removed} onClose={() => setRemoved(undefined)} />
    </>
  );
}

function AddButtons({ onChoose }: { onChoose: (dialog: Dialog) => void }) {
  return (
    <>
      <Button
        variant="default"
        leftSection={<Upload size={16} aria-hidden />}
        onClick={() => onChoose("import")}
      >
        Import
      </Button>
      <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => onChoose("add")}>
        Add a number
      </Button>
    </>
  );
}

function columnsFor(
  remove: ((entry: DoNotCallEntry) => void) | undefined,
): readonly Column<DoNotCallEntry>[] {
  const columns: readonly Column<DoNotCallEntry>[] = [
    { header: "Number", cell: ({ phoneNumber }) => <Text fw={600}>{phoneNumber}</Text> },
    {
      header: "Added by",
      cell: ({ source }) => (source === "import" ? "CSV file" : "hand or API"),
      visibleFrom: "sm",
    },
    { header: "Since", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "xs" },
  ];
  if (remove === undefined) return columns;
  return [
    ...columns,
    {
      header: "Actions",
      align: "right",
      cell: (entry) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`Remove ${entry.phoneNumber}`}
          onClick={() => remove(entry)}
        >
          Remove
        </Button>
      ),
    },
  ];
}

function ExportButton() {
  const parley = useParley();
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      saveFile("do-not-call.csv", await parley.exportDoNotCall());
    } catch (error) {
      toast.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={<Download size={16} aria-hidden />}
      loading={isBusy}
      onClick={() => void save()}
    >
      Export as CSV
    </Button>
  );
}

function RemoveDialog({ entry, onClose }: { entry: DoNotCallEntry | undefined; onClose: () => void }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const remove = async (): Promise<void> => {
    if (entry === undefined) return;
    await parley.deleteDoNotCall(entry.id);
    await queryClient.invalidateQueries({ queryKey: ["do-not-call"] });
    toast.done(`${entry.phoneNumber} can be called again.`);
  };
  return (
    <ConfirmDialog
      isOpen={entry !== undefined}
      onClose={onClose}
      title={`Remove ${entry?.phoneNumber ?? ""} from the list?`}
      confirm="Remove"
      onConfirm={remove}
    >
      Campaigns and API calls may dial this number again.
    </ConfirmDialog>
  );
}

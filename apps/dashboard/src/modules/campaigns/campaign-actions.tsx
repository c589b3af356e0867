import { Button, Menu, Text } from "@mantine/core";
import type { Campaign, Parley } from "@parley/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import Ban from "lucide-react/icons/ban";
import ChevronDown from "lucide-react/icons/chevron-down";
import Copy from "lucide-react/icons/copy";
import Download from "lucide-react/icons/download";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import Trash from "lucide-react/icons/trash-2";
import UserPlus from "lucide-react/icons/user-plus";
import { useState } from "react";
import { Allowed, type WriteOperation } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toast } from "../../ui/toast.ts";
import { saveFile } from "../../ui/download.ts";
import { isFinal } from "./campaign-words.ts";

const ICON_PX = 16;

/** What can be done with a campaign in its state. */
export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const [asked, setAsked] = useState<"cancel" | "delete">();
  const close = (): void => setAsked(undefined);
  return (
    <>
      <MainAction campaign={campaign} />
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={ICON_PX} aria-hidden />}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <ContactItems campaign={campaign} />
          {!isFinal(campaign) && (
            <Allowed operation="cancelCampaign">
              <Menu.Divider />
              <Menu.Item
                color="red"
                leftSection={<Ban size={ICON_PX} aria-hidden />}
                onClick={() => setAsked("cancel")}
              >
                Cancel for good
              </Menu.Item>
            </Allowed>
          )}
          {(campaign.status === "draft" || isFinal(campaign)) && (
            <Allowed operation="deleteCampaign">
              <Menu.Divider />
              <Menu.Item
                color="red"
                leftSection={<Trash size={ICON_PX} aria-hidden />}
                onClick={() => setAsked("delete")}
              >
                Delete
              </Menu.Item>
            </Allowed>
          )}
        </Menu.Dropdown>
      </Menu>
      <CancelDialog campaign={campaign} isOpen={asked === "cancel"} onClose={close} />
      <DeleteDialog campaign={campaign} isOpen={asked === "delete"} onClose={close} />
    </>
  );
}

/** Entries of the menu that add, take or export contacts. */
function ContactItems({ campaign }: { campaign: Campaign }) {
  const navigate = useNavigate();
  const parley = useParley();
  const { id, name } = campaign;
  const exportContacts = async (): Promise<void> => {
    try {
      saveFile(`${name.replaceAll(/[\\/:]/g, "-")}.csv`, await parley.exportCampaignContacts(id));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <>
      {!isFinal(campaign) && (
        <Allowed operation="addCampaignContacts">
          <Menu.Item
            leftSection={<UserPlus size={ICON_PX} aria-hidden />}
            onClick={() =>
              void navigate({ to: "/campaigns/$campaignId/add-contacts", params: { campaignId: id } })
            }
          >
            Add contacts
          </Menu.Item>
        </Allowed>
      )}
      <Allowed operation="createCampaign">
        <Menu.Item
          leftSection={<Copy size={ICON_PX} aria-hidden />}
          onClick={() => void navigate({ to: "/campaigns/new", search: { copyOf: id } })}
        >
          Copy
        </Menu.Item>
      </Allowed>
      <Menu.Item leftSection={<Download size={ICON_PX} aria-hidden />} onClick={() => void exportContacts()}>
        Export contacts as CSV
      </Menu.Item>
    </>
  );
}

type Act = (parley: Parley, id: string) => Promise<Campaign>;

/** The action that the state calls for: start, pause or resume. */
function MainAction({ campaign }: { campaign: Campaign }) {
  const { status } = campaign;
  if (status === "draft")
    return (
      <ActionButton
        key={status}
        campaign={campaign}
        operation="startCampaign"
        label="Start"
        icon={<Play size={ICON_PX} aria-hidden />}
        act={async (parley, id) => await parley.startCampaign(id)}
      />
    );
  if (status === "paused")
    return (
      <ActionButton
        key={status}
        campaign={campaign}
        operation="resumeCampaign"
        label="Resume"
        icon={<Play size={ICON_PX} aria-hidden />}
        act={async (parley, id) => await parley.resumeCampaign(id)}
      />
    );
  if (isFinal(campaign)) return null;
  return (
    <ActionButton
      key="pause"
      campaign={campaign}
      operation="pauseCampaign"
      label="Pause"
      icon={<Pause size={ICON_PX} aria-hidden />}
      act={async (parley, id) => await parley.pauseCampaign(id)}
    />
  );
}

interface ActionButtonProps {
  campaign: Campaign;
  operation: WriteOperation;
  label: string;
  icon: React.ReactNode;
  act: Act;
}

function ActionButton({ campaign: { id }, operation, label, icon, act }: ActionButtonProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const action = useMutation({
    mutationFn: async () => await act(parley, id),
    onError: (error) => toast.failed(error),
    // After a failure too: somebody else may have changed the state meanwhile.
    onSettled: async () => await queryClient.invalidateQueries({ queryKey: ["campaigns"] }),
  });
  return (
    <Allowed operation={operation}>
      <Button leftSection={icon} loading={action.isPending} onClick={() => action.mutate()}>
        {label}
      </Button>
    </Allowed>
  );
}

interface DialogProps {
  campaign: Campaign;
  isOpen: boolean;
  onClose: () => void;
}

function CancelDialog({ campaign: { id, name, progress }, isOpen, onClose }: DialogProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const waiting = progress.contacts["pending"] ?? 0;
  const cancel = async (): Promise<void> => {
    await parley.cancelCampaign(id);
    toast.done(`${name} is canceled.`);
    await queryClient.invalidateQueries({ queryKey: ["campaigns"] });
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Cancel ${name} for good?`}
      confirm="Cancel the campaign"
      dismiss="Keep it"
      onConfirm={cancel}
    >
      <Text>
        {waiting.toLocaleString("en")} waiting contacts are not dialed any more. Calls in progress continue to
        their end. A canceled campaign cannot be resumed; to stop for a while, pause it.
      </Text>
    </ConfirmDialog>
  );
}

function DeleteDialog({ campaign: { id, name }, isOpen, onClose }: DialogProps) {
  const parley = useParley();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = async (): Promise<void> => {
    await parley.deleteCampaign(id);
    toast.done(`${name} is deleted.`);
    await navigate({ to: "/campaigns" });
    await queryClient.invalidateQueries({ queryKey: ["campaigns", "list"] });
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${name}?`}
      confirm="Delete"
      onConfirm={remove}
    >
      <Text>Its contacts and their outcomes are deleted for good. Its calls are kept.</Text>
    </ConfirmDialog>
  );
}

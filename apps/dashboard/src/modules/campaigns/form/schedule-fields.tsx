import { Button, Group, Radio, Select, Stack, TextInput } from "@mantine/core";
import type { CampaignFormProps } from "./campaign-form.ts";
import { WeekWindow } from "./week-window.tsx";
import type { Hours } from "./window.rules.ts";

const presets: readonly { label: string; hours: Hours }[] = [
  { label: "Working hours", hours: { start: "09:00", end: "18:00", days: [1, 2, 3, 4, 5] } },
  { label: "Evenings", hours: { start: "17:00", end: "20:00", days: [1, 2, 3, 4, 5] } },
  { label: "Every day", hours: { start: "09:00", end: "20:00", days: [1, 2, 3, 4, 5, 6, 7] } },
];

const timezones = Intl.supportedValuesOf("timeZone");

/** When people are called. */
export function ScheduleFields({ form }: CampaignFormProps) {
  const { isWindowed, callingWindow } = form.getValues();
  const setHours = (hours: Hours): void =>
    form.setFieldValue("callingWindow", { ...callingWindow, ...hours });
  return (
    <Stack gap="lg">
      <Radio.Group
        label="People are called"
        value={isWindowed ? "window" : "always"}
        onChange={(value) => form.setFieldValue("isWindowed", value === "window")}
      >
        <Group gap="lg" mt={6}>
          <Radio value="window" label="In a calling window" />
          <Radio value="always" label="At any time, nights included" />
        </Group>
      </Radio.Group>
      {isWindowed && (
        <>
          <Group gap="xs" role="group" aria-label="Usual windows">
            {presets.map(({ label, hours }) => (
              <Button key={label} variant="default" size="xs" onClick={() => setHours(hours)}>
                {label}
              </Button>
            ))}
          </Group>
          <WeekWindow value={callingWindow} onChange={setHours} errors={form.errors} />
          <Select
            label="Time zone of other contacts"
            description="A contact’s own time zone wins. This one is for those whose time zone is unknown."
            searchable
            maw={320}
            allowDeselect={false}
            data={
              timezones.includes(callingWindow.timezone) ? timezones : [callingWindow.timezone, ...timezones]
            }
            data-path="callingWindow.timezone"
            value={callingWindow.timezone}
            error={form.errors["callingWindow.timezone"]}
            onChange={(timezone) =>
              form.setFieldValue("callingWindow", {
                ...callingWindow,
                timezone: timezone ?? callingWindow.timezone,
              })
            }
          />
        </>
      )}
      <TextInput
        type="datetime-local"
        label="Not before"
        description="Date and time where you are. Empty: as soon as the campaign is started."
        maw={320}
        data-path="startAt"
        {...form.getInputProps("startAt")}
      />
    </Stack>
  );
}

import { Card, Radio, Stack, useMantineColorScheme } from "@mantine/core";
import { schemes } from "../../app/color-schemes.ts";
import { SettingsHeader } from "./settings-header.tsx";

/** Light, dark, or as the system is set. */
export function AppearancePage() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <SettingsHeader title="Appearance" description="Kept in this browser, for everybody who uses it." />
      <Card withBorder padding="lg">
        <Radio.Group label="Colors" value={colorScheme} onChange={(chosen) => setColorScheme(chosen)}>
          <Stack mt="xs">
            {schemes.map(({ value, label, description }) => (
              <Radio key={value} value={value} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
      </Card>
    </>
  );
}

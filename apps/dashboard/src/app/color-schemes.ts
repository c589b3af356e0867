import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";

const system = {
  value: "auto",
  label: "As the system",
  description: "Follows the setting of your device",
  Icon: Monitor,
} as const;

/** Light, dark, or as the system is set. */
export const schemes = [
  { value: "light", label: "Light", description: "Dark text on a light ground", Icon: Sun },
  { value: "dark", label: "Dark", description: "Light text on a dark ground", Icon: Moon },
  system,
] as const;

export function schemeOf(value: string): (typeof schemes)[number] {
  return schemes.find((scheme) => scheme.value === value) ?? system;
}

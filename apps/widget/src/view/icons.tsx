import type { ComponentChildren } from "preact";

interface IconProps {
  /** Whether the picture has a direction, and is mirrored in languages that are read from right to left. */
  isMirrored?: boolean;
  children: ComponentChildren;
}

function Icon({ isMirrored = false, children }: IconProps) {
  return (
    <svg
      class={isMirrored ? "mirrored" : undefined}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const ChatIcon = () => (
  <Icon>
    <path d="M21 11.5a8.4 8.4 0 0 1-8.5 8.3 8.7 8.7 0 0 1-3.9-.9L3 20.5l1.7-5.1a8.1 8.1 0 0 1-.7-3.9 8.4 8.4 0 0 1 8.5-8.3 8.4 8.4 0 0 1 8.5 8.3Z" />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d="M18 6 6 18M6 6l12 12" />
  </Icon>
);
export const DownIcon = () => (
  <Icon>
    <path d="m6 9 6 6 6-6" />
  </Icon>
);
export const PhoneIcon = () => (
  <Icon>
    <path d="M21.5 16.6v2.8a2 2 0 0 1-2.2 2A19 19 0 0 1 2.6 4.7 2 2 0 0 1 4.6 2.500h2.800a2 2 0 0 1 2 1.700c.12.9.34 1.8.66 2.650a2 2 0 0 1-.45 2.100L8.4 10.200a15.5 15.5 0 0 0 5.4 5.400l1.25-1.250a2 2 0 0 1 2.1-.45c.86.32 1.75.54 2.65.66a2 2 0 0 1 1.7 2.040Z" />
  </Icon>
);
export const HangUpIcon = () => (
  <Icon>
    <path d="M2.5 15.300c5.2-5.7 13.8-5.7 19 0l-2.4 2.4-3.6-1.600v-3a11.5 11.5 0 0 0-7 0v3l-3.6 1.600Z" />
  </Icon>
);
export const SendIcon = () => (
  <Icon>
    <path d="M12 19V5M5.5 11.5 12 5l6.5 6.5" />
  </Icon>
);
export const MicrophoneIcon = () => (
  <Icon>
    <rect x="9" y="2.5" width="6" height="11.5" rx="3" />
    <path d="M5 11a7 7 0 0 0 14 0M12 18v3.5" />
  </Icon>
);
export const MutedIcon = () => (
  <Icon>
    <path d="M3 3l18 18M9 9v2a3 3 0 0 0 4.6 2.500M15 10.500V5.500a3 3 0 0 0-5.8-1M5 11a7 7 0 0 0 11 5.700M19 11a7 7 0 0 1-.6 2.800M12 18v3.5" />
  </Icon>
);
export const EndIcon = () => (
  <Icon isMirrored>
    <path d="M9 21H5.500A2.5 2.5 0 0 1 3 18.500v-13A2.5 2.5 0 0 1 5.5 3H9M16 16.5 20.5 12 16 7.500M20.5 12H9" />
  </Icon>
);

import type { ReactNode } from "react";

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export function CallIcon() {
  return (
    <Icon>
      <path d="M6.5 3.5 9.8 4l1.5 4.2-2 1.9a13 13 0 0 0 4.6 4.6l1.9-2 4.2 1.5.5 3.3a2 2 0 0 1-2 2.3A15.8 15.8 0 0 1 4.2 5.5a2 2 0 0 1 2.3-2Z" />
    </Icon>
  );
}

export function HangUpIcon() {
  return (
    <Icon>
      <path d="M3 14.5c5-5 13-5 18 0l-1.8 2.7-4-1.4.1-2.9a11 11 0 0 0-6.6 0l.1 2.9-4 1.4Z" />
    </Icon>
  );
}

export function MicrophoneIcon({ isMuted = false }: { isMuted?: boolean }) {
  return (
    <Icon>
      <rect x="9" y="3" width="6" height="11" rx="3" />
      <path d="M5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21" />
      {isMuted && <path d="M4 4l16 16" />}
    </Icon>
  );
}

export function VolumeIcon() {
  return (
    <Icon>
      <path d="M4 10v4h3.5L12 18V6L7.5 10Z" />
      <path d="M15.5 9.5a4 4 0 0 1 0 5M18.2 7a8 8 0 0 1 0 10" />
    </Icon>
  );
}

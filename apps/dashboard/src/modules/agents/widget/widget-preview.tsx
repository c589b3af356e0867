import type { Agent } from "@parley/client";
import { useEffect, useRef } from "react";
import "./widget-preview.css";

interface WidgetPreviewProps {
  agent: Agent;
  config: Agent["widgetConfig"];
  /** Language of the widget's own texts. */
  language: string;
}

/** The widget as it would look with these settings, saved or not. Nothing that is written in it is sent. */
export function WidgetPreview({ agent, config, language }: WidgetPreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const settings = toSettings(agent, config);
  const text = JSON.stringify(settings);
  useEffect(() => {
    const send = (): void => {
      const message = { type: "parley-preview", settings: JSON.parse(text) as unknown, language };
      frame.current?.contentWindow?.postMessage(message, location.origin);
    };
    const onMessage = ({ source, origin }: MessageEvent): void => {
      if (origin === location.origin && source === frame.current?.contentWindow) send();
    };
    addEventListener("message", onMessage);
    send();
    return () => removeEventListener("message", onMessage);
  }, [text, language]);
  return (
    <iframe ref={frame} className="widget-preview" title="Preview of the widget" src="/widget-preview" />
  );
}

/** As `GET /widget/{widgetKey}` answers. An unfinished color is not shown. */
function toSettings(agent: Agent, { modes, continuity, appearance }: Agent["widgetConfig"]) {
  const { agentDisplayName, accentColor, ...others } = appearance;
  const isColor = /^#[0-9A-Fa-f]{6}$/.test(accentColor);
  return {
    agentName: agentDisplayName ?? agent.name,
    language: agent.language,
    modes,
    continuity,
    appearance: { ...others, accentColor: isColor ? accentColor : "#2563eb" },
    maxMessageCharacters: 4000,
  };
}

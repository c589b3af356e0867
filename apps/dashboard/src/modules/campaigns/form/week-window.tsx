import { Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { type PointerEvent, use, useState } from "react";
import { EditableContext } from "../../../ui/editable.ts";
import { blocksOf, describeHours, drawWindow, type Hours, isoDays, weekdays } from "./window.rules.ts";
import "../campaigns.css";

const STEP_MINUTES = 30;
const MINUTES_PER_DAY = 1_440;
const shownHours = [0, 6, 12, 18, 24];

interface WeekWindowProps {
  value: Hours;
  onChange: (value: Hours) => void;
  /** Faults by path, such as `callingWindow.end`. */
  errors: Readonly<Record<string, React.ReactNode>>;
}

/** Days and hours, as fields and drawn on a week. With a mouse they can be drawn there too. */
export function WeekWindow({ value, onChange, errors }: WeekWindowProps) {
  const isEditable = use(EditableContext);
  return (
    <Stack gap="md">
      <Checkbox.Group
        label="Days"
        error={errors["callingWindow.days"]}
        value={isoDays(value.days).map(String)}
        onChange={(days) => onChange({ ...value, days: days.map(Number).sort((one, other) => one - other) })}
      >
        <Group gap="md" mt={6}>
          {weekdays.map(({ day, short, long }) => (
            <Checkbox
              key={day}
              value={String(day)}
              label={short}
              aria-label={long}
              {...(day === 1 && { "data-path": "callingWindow.days" })}
            />
          ))}
        </Group>
      </Checkbox.Group>
      <Group gap="md" align="flex-start">
        <TextInput
          type="time"
          label="From"
          error={errors["callingWindow.start"]}
          data-path="callingWindow.start"
          value={value.start}
          onChange={({ target }) => onChange({ ...value, start: target.value })}
        />
        <TextInput
          type="time"
          label="Until"
          description="An earlier time is on the next day."
          inputWrapperOrder={["label", "input", "description", "error"]}
          error={errors["callingWindow.end"]}
          data-path="callingWindow.end"
          value={value.end === "24:00" ? "00:00" : value.end}
          onChange={({ target }) =>
            onChange({ ...value, end: target.value === "00:00" ? "24:00" : target.value })
          }
        />
      </Group>
      <WeekDrawing value={value} {...(isEditable && { onDraw: onChange })} />
      <Text size="sm" c="dimmed">
        {describeHours(value)}, by the clock of each contact.
      </Text>
    </Stack>
  );
}

interface WeekDrawingProps {
  value: Hours;
  onDraw?: (value: Hours) => void;
}

/** The open hours of a week, a row per day. */
export function WeekDrawing({ value, onDraw }: WeekDrawingProps) {
  return (
    <div className="week" role="img" aria-label={`Open hours: ${describeHours(value)}`}>
      <div className="week-days" aria-hidden>
        {weekdays.map(({ short }) => (
          <span key={short}>{short}</span>
        ))}
      </div>
      <Lanes value={value} {...(onDraw !== undefined && { onDraw })} />
      <div className="week-hours" aria-hidden>
        {shownHours.map((hour) => (
          <span key={hour} style={{ left: `${(100 * hour) / 24}%` }}>
            {hour}
          </span>
        ))}
      </div>
    </div>
  );
}

function Lanes({ value, onDraw }: WeekDrawingProps) {
  const pointer = usePointer(onDraw);
  return (
    <div className="week-lanes" data-drawable={onDraw !== undefined || undefined} {...pointer}>
      {weekdays.map(({ day }) => (
        <div key={day} className="week-lane">
          {blocksOf(value)
            .filter((block) => block.day === day)
            .map(({ from, to }) => (
              <span
                key={from}
                style={{
                  left: `${(100 * from) / MINUTES_PER_DAY}%`,
                  width: `${(100 * (to - from)) / MINUTES_PER_DAY}%`,
                }}
              />
            ))}
        </div>
      ))}
    </div>
  );
}

interface Place {
  day: number;
  minute: number;
}

/** Draws with a mouse or a pen. A finger scrolls the page. */
function usePointer(onDraw: WeekDrawingProps["onDraw"]) {
  const [begin, setBegin] = useState<Place>();
  if (onDraw === undefined) return {};
  const draw = (event: PointerEvent<HTMLElement>): void => {
    if (begin !== undefined) onDraw(drawWindow(begin, placeOf(event), STEP_MINUTES));
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>): void => {
      if (event.pointerType === "touch") return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setBegin(placeOf(event));
    },
    onPointerMove: draw,
    onPointerUp: (event: PointerEvent<HTMLElement>): void => {
      draw(event);
      setBegin(undefined);
    },
    onPointerCancel: () => setBegin(undefined),
  };
}

function placeOf({ clientX, clientY, currentTarget }: PointerEvent<HTMLElement>): Place {
  const box = currentTarget.getBoundingClientRect();
  const share = (at: number, from: number, length: number): number =>
    Math.min(1, Math.max(0, (at - from) / length));
  const row = Math.floor(share(clientY, box.top, box.height) * weekdays.length);
  return {
    day: Math.min(row, weekdays.length - 1) + 1,
    minute: Math.round(share(clientX, box.left, box.width) * MINUTES_PER_DAY),
  };
}

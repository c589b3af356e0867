import type { CallDetail, TranscriptItem } from "@parley/client";
import { useMemo } from "react";
import { detailsOf, playableUrl, transcriptText } from "./call-record.rules.ts";
import "./call-record.css";
import type { LoadedCallRecord } from "./use-call-record.ts";

interface CallRecordProps {
  callId: string;
  /** The end as this page received it. */
  transcript: readonly TranscriptItem[];
  record: LoadedCallRecord;
}

/** Record of a call: its recording, its transcript, its figures. */
export function CallRecord({ callId, transcript, record: { call, problem } }: CallRecordProps) {
  const text = useMemo(() => transcriptText(transcript), [transcript]);
  const details = call === undefined ? [] : detailsOf(call);
  return (
    <div className="call-record">
      <h2>Recording</h2>
      {problem === undefined ? (
        <Recording call={call} />
      ) : (
        <p role="alert" className="notice error">
          {problem}
        </p>
      )}
      <a
        className="button"
        href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
        download={`call-${callId}.txt`}
      >
        Download the transcript
      </a>
      <dl>
        {details.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>Call</dt>
          <dd className="call-id">
            <code>{callId}</code>
          </dd>
        </div>
      </dl>
    </div>
  );
}

function Recording({ call }: { call: CallDetail | undefined }) {
  if (call === undefined || call.endedAt === null) return <p className="hint">Loading the call…</p>;
  const { recordingStatus, recordingUrl } = call;
  if (recordingStatus === null) return <p className="hint">This call was not recorded.</p>;
  if (recordingStatus === "failed") return <p className="hint">The recording failed.</p>;
  if (recordingUrl === null) return <p className="hint">The recording is being prepared…</p>;
  const url = playableUrl(recordingUrl, location.origin);
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the transcript is shown beside it */}
      <audio controls preload="metadata" src={url} aria-label="Recording of the call" />
      <a className="button" href={url} download={`call-${call.id}.opus`}>
        Download the recording
      </a>
    </>
  );
}

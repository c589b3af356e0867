import { useEffect, useState } from "react";
import { formatSeconds } from "./call-words.ts";

/** Time since the answer of a call, going on. */
export function CallClock({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <time>{formatSeconds(Math.max(0, (now - Date.parse(since)) / 1000))}</time>;
}

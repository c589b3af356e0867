import { sampleFlows as samples } from "@parley/contract";
import type { FlowDefinition } from "./flow-layout.rules.ts";

/** Flows to begin with, by name. */
export const sampleFlows = samples as unknown as Readonly<Record<string, FlowDefinition>>;

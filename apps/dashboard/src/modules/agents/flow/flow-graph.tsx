import { Text } from "@mantine/core";
import { useId, useMemo } from "react";
import { BOX, type FlowDefinition, layOut, type PlacedNode, summaryOf } from "./flow-layout.rules.ts";
import "./flow-graph.css";

const MAX_ID_CHARACTERS = 20;
const MAX_SUMMARY_CHARACTERS = 28;

interface FlowGraphProps {
  flow: FlowDefinition;
  /** Nodes of a conversation's path, in order. */
  path?: readonly string[];
  /** Nodes with problems. */
  faulty?: ReadonlySet<string>;
}

/** The graph of a flow; the path of a conversation stands out in it. */
export function FlowGraph({ flow, path = [], faulty = new Set() }: FlowGraphProps) {
  const arrow = useId();
  const { nodes, edges, width, height } = useMemo(() => layOut(flow), [flow]);
  const visited = new Set(path);
  const taken = new Set(path.slice(1).map((id, index) => `${path[index]} ${id}`));
  const label =
    path.length === 0 ? `Graph of ${nodes.length} nodes` : `Graph with the path ${path.join(", ")}`;
  return (
    <div className="flow-graph" tabIndex={0} role="region" aria-label="Graph of the flow">
      <svg width={width} height={height} role="img" aria-label={label}>
        <defs>
          <marker
            id={arrow}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <polygon points="0,0 8,4 0,8" fill="var(--mantine-color-dimmed)" />
          </marker>
        </defs>
        {edges.map(({ from, to, label: word, line }, index) => (
          <path
            key={`${from} ${to} ${index}`}
            d={line}
            className={taken.has(`${from} ${to}`) ? "visited" : undefined}
            markerEnd={`url(#${arrow})`}
          >
            <title>{`${from} to ${to}${word === "" ? "" : `: ${word}`}`}</title>
          </path>
        ))}
        {nodes.map((placed) => (
          <Node
            key={placed.node.id}
            placed={placed}
            className={
              faulty.has(placed.node.id) ? "faulty" : visited.has(placed.node.id) ? "visited" : undefined
            }
          />
        ))}
      </svg>
    </div>
  );
}

function Node({ placed: { node, x, y }, className }: { placed: PlacedNode; className: string | undefined }) {
  const summary = summaryOf(node);
  return (
    <g className={className}>
      <title>{`${node.id} (${node.type}): ${summary}`}</title>
      <rect x={x} y={y} width={BOX.width} height={BOX.height} rx={6} />
      <text x={x + 10} y={y + 22}>
        <tspan fontWeight={600}>{cut(node.id, MAX_ID_CHARACTERS)}</tspan>
        <tspan className="flow-summary"> {node.type}</tspan>
      </text>
      <text x={x + 10} y={y + 42} className="flow-summary">
        {cut(summary, MAX_SUMMARY_CHARACTERS)}
      </text>
    </g>
  );
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}

/** The steps of a conversation in words, beside the graph. */
export function FlowSteps({ steps }: { steps: readonly { id: string; nodeId?: string; text: string }[] }) {
  return (
    <ol>
      {steps.map(({ id, nodeId, text }) => (
        <li key={id}>
          <Text size="sm">
            <strong>{nodeId}</strong> {text}
          </Text>
        </li>
      ))}
    </ol>
  );
}

import type { Tensor } from "onnxruntime-node";
import { GraphWriter } from "../local/onnx/graph-writer.ts";

/** Compares one vector with many: exact, and outside of the event loop. */
export interface Similarity {
  /**
   * Returns the dot product of the query with each vector; for vectors of length 1, the cosine similarity.
   *
   * @param vectors One after the other, `query.length` values each. Must not change until the result is there.
   */
  compare(vectors: Float32Array, query: Float32Array): Promise<Float32Array>;
  /** Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a matrix product on onnxruntime. Measured with 100,000 vectors of 384 dimensions on one core: 8.5 ms; a loop in
 * JavaScript takes 22 ms, in which its process does nothing else.
 */
export async function openSimilarity(dimensions: number): Promise<Similarity> {
  const ort = await import("onnxruntime-node");
  const graph = new GraphWriter();
  const column = graph.node("Reshape", ["query", graph.integers(dimensions, 1)]);
  graph.node("MatMul", ["vectors", column], { output: "similarities" });
  const model = graph.finish(
    [
      { name: "vectors", width: dimensions },
      { name: "query", width: dimensions },
    ],
    [{ name: "similarities", width: 1 }],
  );
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  let isClosed = false;
  return {
    compare: async (vectors, query) => {
      const count = vectors.length / dimensions;
      if (count === 0) return new Float32Array();
      const rows = (values: Float32Array, length: number): Tensor =>
        new ort.Tensor("float32", values, [length, dimensions]);
      const { similarities } = await session.run({ vectors: rows(vectors, count), query: rows(query, 1) });
      if (!(similarities?.data instanceof Float32Array)) throw new TypeError("the product is no float32");
      return similarities.data;
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await session.release();
    },
  };
}

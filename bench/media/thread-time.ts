import { readdir, readFile } from "node:fs/promises";

export interface ThreadTime {
  /** Name that Node or the library has given it; several threads may share one. */
  name: string;
  cpuSeconds: number;
}

/** Processor time used so far by each thread of a process, by thread id. */
export async function threadSeconds(pid: number): Promise<Map<string, ThreadTime>> {
  const folder = `/proc/${pid}/task`;
  const threads = await Promise.all(
    (await readdir(folder)).map(async (id): Promise<[string, ThreadTime]> => {
      const [name, schedule] = await Promise.all([
        readFile(`${folder}/${id}/comm`, "utf8"),
        readFile(`${folder}/${id}/schedstat`, "utf8"),
      ]);
      return [id, { name: name.trim(), cpuSeconds: Number(schedule.split(" ")[0]) / 1e9 }];
    }),
  );
  return new Map(threads);
}

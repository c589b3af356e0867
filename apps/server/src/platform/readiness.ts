/** The conditions under which the node takes calls. */
export class Readiness {
  readonly #conditions: (() => readonly string[])[] = [];

  /** @param findObstacles Returns what keeps the node from taking calls, for the operator; empty if nothing does. */
  require(findObstacles: () => readonly string[]): void {
    this.#conditions.push(findObstacles);
  }

  get obstacles(): string[] {
    return this.#conditions.flatMap((findObstacles) => findObstacles());
  }

  get isReady(): boolean {
    return this.#conditions.every((findObstacles) => findObstacles().length === 0);
  }
}

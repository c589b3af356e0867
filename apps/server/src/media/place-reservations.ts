/** A place for a call whose media is not open yet, for example while its pre-call webhook runs. */
export type MediaPlace = Disposable;

/** Places that are promised to calls, until each call is opened or gives its place up. */
export class PlaceReservations {
  readonly #reserved = new Set<MediaPlace>();

  get count(): number {
    return this.#reserved.size;
  }

  /** Reserves a place until it is disposed; `undefined` if the reserved ones use up all these places. */
  reserve(places: number): MediaPlace | undefined {
    if (places <= this.count) return undefined;
    const place: MediaPlace = { [Symbol.dispose]: () => void this.#reserved.delete(place) };
    this.#reserved.add(place);
    return place;
  }
}

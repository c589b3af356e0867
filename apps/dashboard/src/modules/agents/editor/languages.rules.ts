/** Regions in which a language is spoken in a way of its own: the best known of each language. */
const regions: Readonly<Record<string, readonly string[]>> = {
  ar: ["AE", "EG", "SA"],
  de: ["AT", "CH", "DE"],
  en: ["AU", "CA", "GB", "IE", "IN", "NZ", "US", "ZA"],
  es: ["AR", "CO", "ES", "MX", "US"],
  fr: ["BE", "CA", "CH", "FR"],
  it: ["CH", "IT"],
  nl: ["BE", "NL"],
  pt: ["BR", "PT"],
  zh: ["CN", "HK", "TW"],
};

const regionNames = new Intl.DisplayNames("en", { type: "region" });

/** A language without a region, then with each of its regions. */
export function withRegions(language: { id: string; displayName: string }) {
  const { id, displayName } = language;
  return [
    { value: id, label: `${displayName} (${id})` },
    ...(regions[id] ?? []).map((region) => ({
      value: `${id}-${region}`,
      label: `${displayName}, ${regionNames.of(region) ?? region} (${id}-${region})`,
    })),
  ];
}

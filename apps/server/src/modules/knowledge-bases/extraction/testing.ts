/** For tests: PDF and Word files. */
import { zipSync } from "fflate";

interface PdfLine {
  /** Points. */
  size: number;
  text: string;
}

/** A PDF file with one font. @param stream Content of the first page, in place of its lines. */
export function pdfOf(
  pages: readonly (readonly PdfLine[])[],
  stream?: { content: Uint8Array; filters: readonly string[] },
): Uint8Array {
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  const add = (...content: (string | Uint8Array)[]): void => {
    offsets.push(parts.reduce((sum, { length }) => sum + length, 0));
    parts.push(
      Buffer.from(`${offsets.length} 0 obj\n`),
      ...content.map((each) => Buffer.from(each)),
      Buffer.from("\nendobj\n"),
    );
  };
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (const [index, lines] of pages.entries()) {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
    );
    const drawn = lines
      .map(({ size, text }, at) => `BT /F1 ${size} Tf 50 ${750 - at * 40} Td (${text}) Tj ET`)
      .join("\n");
    const content = index === 0 && stream ? stream.content : Buffer.from(drawn);
    const filter =
      index === 0 && stream ? `/Filter [${stream.filters.map((name) => `/${name}`).join(" ")}] ` : "";
    add(`<< ${filter}/Length ${content.length} >>\nstream\n`, content, "\nendstream");
  }
  const start = parts.reduce((sum, { length }) => sum + length, 0);
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = offsets.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** A Word file. @param body Content of `w:body`. */
export function docxOf(body: string): Uint8Array {
  const xml = `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;
  return zipSync({ "word/document.xml": Buffer.from(xml) });
}

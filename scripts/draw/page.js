// Headings of tables become buttons that sort, and each has a filter of its rows. The page reads as well without it.
"use strict";
for (const table of document.querySelectorAll("table.sort")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const value = (row, at) => {
    const cell = row.cells[at], text = cell.textContent.trim();
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    return cell.className === "n" && text !== "" && !isNaN(text) ? Number(text) : text;
  };
  const label = document.createElement("label"), input = document.createElement("input");
  const count = document.createElement("output");
  label.className = "filter";
  input.type = "search";
  label.append("Show rows with", input, count);
  if (body.rows.length > 8 && !table.parentElement.classList.contains("some")) table.parentElement.before(label);
  let texts = null; // of the rows, once they are needed
  input.addEventListener("input", () => {
    texts ??= [...body.rows].map((row) => [row, row.textContent.toLowerCase()]);
    const words = input.value.toLowerCase().split(" ").filter((word) => word);
    let shown = 0;
    for (const [row, text] of texts) {
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    table.classList.toggle("filtered", words.length > 0);
    count.value = words.length > 0 ? `${shown} of ${texts.length}` : "";
  });
  const empty = (v) => v === "" || v === "-";
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((h) => h.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].map((row) => [value(row, at), row]);
      rows.sort(([a], [b]) => {
        if (empty(a) || empty(b)) return empty(a) - empty(b); // rows without a value come last, whichever way
        const order = typeof a === "number" && typeof b === "number" ? a - b
          : String(a).localeCompare(String(b), "en", { numeric: true });
        return up ? order : -order;
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}

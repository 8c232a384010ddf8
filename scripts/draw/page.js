// Headings of tables become buttons that sort, and each has a filter of its rows. The page reads as well without it.
"use strict";
for (const table of document.querySelectorAll("table.sort")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const value = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
  };
  const label = document.createElement("label"), input = document.createElement("input");
  label.className = "filter";
  input.type = "search";
  label.append("Show rows with", input);
  if (body.rows.length > 8) table.parentElement.before(label);
  input.addEventListener("input", () => {
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(input.value.toLowerCase());
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

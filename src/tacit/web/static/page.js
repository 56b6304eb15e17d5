// What pages do beyond their forms, all of which work without it: sliders, dropping files, and the tree's keyboard and mouse.
"use strict";
(() => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  // Sliders and the fields beside them say the same.
  document.addEventListener("input", (event) => {
    const slider = event.target.closest("input[type=range][data-for]");
    if (slider) document.getElementById(slider.dataset.for).value = slider.value;
    else if (event.target.id) {
      const beside = document.querySelector(`input[type=range][data-for="${CSS.escape(event.target.id)}"]`);
      if (beside && event.target.value !== "" && !isNaN(event.target.value)) beside.value = event.target.value;
    }
  });

  // One box ticks all the others.
  document.addEventListener("change", (event) => {
    const name = event.target.dataset && event.target.dataset.all;
    if (name) for (const box of all(`input[name="${CSS.escape(name)}"]`)) box.checked = event.target.checked;
  });

  // What cannot be undone is asked about first.
  document.addEventListener("submit", (event) => {
    const question = event.target.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  });

  // Files: dropped anywhere on the frame, and sent with a bar that shows how far it is.
  for (const form of all("form[data-upload]")) {
    const input = form.querySelector("input[type=file]"), frame = form.querySelector(".drop");
    for (const kind of ["dragenter", "dragover"])
      form.addEventListener(kind, (event) => { event.preventDefault(); frame.classList.add("over"); });
    for (const kind of ["dragleave", "drop"]) form.addEventListener(kind, () => frame.classList.remove("over"));
    form.addEventListener("drop", (event) => {
      if (event.dataTransfer.files.length) { event.preventDefault(); input.files = event.dataTransfer.files; }
    });
    form.addEventListener("submit", (event) => {
      if (!input.files.length) return;
      event.preventDefault();
      const bar = form.querySelector(".sending"), request = new XMLHttpRequest();
      bar.hidden = false;
      form.querySelector("button").disabled = true;
      request.upload.addEventListener("progress", (sent) => { if (sent.lengthComputable) bar.value = (100 * sent.loaded) / sent.total; });
      request.addEventListener("load", () => {
        if (request.status < 400) { window.location.assign(request.responseURL); return; }
        const answer = new DOMParser().parseFromString(request.responseText, "text/html").getElementById("page");
        if (answer) document.getElementById("page").replaceWith(answer);
        window.location.hash = "file";
        ready();
      });
      request.addEventListener("error", () => form.submit());
      request.open("POST", form.action);
      request.send(new FormData(form));
    });
  }

  // Trees: which groups are open is remembered while they change.
  const open = new Map();
  const boxes = () => all("#tree input[type=checkbox]").filter((box) => box.offsetParent !== null);
  const submit = (form, what) => form.querySelector(`button[name=do][value=${what}]`).click();
  const only = (form, box) => { for (const other of all("input[name=node]", form)) other.checked = other === box; };

  document.addEventListener("toggle", (event) => {
    if (event.target.dataset && event.target.dataset.node !== undefined) open.set(event.target.dataset.node, event.target.open);
  }, true);

  document.addEventListener("keydown", (event) => {
    const box = event.target.closest && event.target.closest("#tree input[type=checkbox]");
    if (!box || event.ctrlKey || event.metaKey) return;
    const form = box.form, shown = boxes(), at = shown.indexOf(box);
    const own = box.parentElement.querySelector(":scope > details"), above = box.parentElement.parentElement.closest("li");
    const chosen = () => { if (!all("input[name=node]:checked", form).length) box.checked = true; };
    const go = (next) => next && next.focus();
    const keys = {
      ArrowDown: () => go(shown[at + 1]), ArrowUp: () => go(shown[at - 1]), Home: () => go(shown[0]), End: () => go(shown.at(-1)),
      ArrowRight: () => { if (own && !own.open) own.open = true; else go(shown[at + 1]); },
      ArrowLeft: () => {
        if (own && own.open) own.open = false;
        else go(above && above.querySelector(":scope > input"));
      },
      F2: () => { only(form, box); const name = form.querySelector("#name"); name.value = box.getAttribute("aria-label"); name.focus(); name.select(); form.dataset.enter = "rename"; },
      m: () => { chosen(); form.querySelector("#under").focus(); form.dataset.enter = "move"; },
      g: () => { chosen(); const name = form.querySelector("#name"); name.value = ""; name.focus(); form.dataset.enter = "group"; },
    };
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault(); only(form, box); submit(form, event.key === "ArrowUp" ? "up" : "down"); return;
    }
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!event.altKey && keys[key]) { event.preventDefault(); keys[key](); }
  });

  document.addEventListener("keydown", (event) => {  // Enter in a field of the tree's toolbar does what brought one there
    const form = event.target.closest && event.target.closest("form[data-tree]");
    if (form && event.key === "Enter" && event.target.matches("#name, #under, #number")) {
      event.preventDefault();
      submit(form, form.dataset.enter || { name: "rename", under: "move", number: "bands" }[event.target.id]);
    }
  });

  let dragged = null;
  const boxOf = (grip) => grip.closest("li").querySelector(":scope > input");
  document.addEventListener("dragstart", (event) => {
    const grip = event.target.closest && event.target.closest("#tree .grip");
    if (grip) { dragged = boxOf(grip); event.dataTransfer.effectAllowed = "move"; event.dataTransfer.setData("text/plain", ""); }
  });
  const target = (event) => dragged && event.target.closest && event.target.closest("#tree summary .grip");
  document.addEventListener("dragover", (event) => {
    for (const other of all("#tree .target")) other.classList.remove("target");
    const grip = target(event);
    if (grip) { event.preventDefault(); grip.classList.add("target"); }
  });
  document.addEventListener("drop", (event) => {
    const grip = target(event);
    if (!grip) return;
    event.preventDefault();
    const form = dragged.form;
    if (!dragged.checked) only(form, dragged);
    form.querySelector("#under").value = boxOf(grip).value;
    dragged = null;
    submit(form, "move");
  });

  // After a page, or a part of it, is there.
  let focused = null;
  document.addEventListener("htmx:beforeSwap", () => {
    const now = document.activeElement;
    focused = now && now.closest("#tree") ? now.getAttribute("aria-label") : null;
  });
  document.addEventListener("htmx:afterSettle", () => {
    ready();
    const again = focused && all("#tree input").find((box) => box.getAttribute("aria-label") === focused);
    if (again) again.focus();
  });
  // What somebody is typing in is not taken away by a look at how far something is.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const busy = document.activeElement && document.activeElement.matches("main input:not([type=checkbox], [type=radio], [type=range]), textarea");
    if (event.target.hasAttribute("data-live") && busy) event.preventDefault();
  });

  function ready() {
    for (const point of all("[data-left]")) { point.style.left = `${point.dataset.left}%`; point.style.top = `${point.dataset.top}%`; }
    for (const grip of all("#tree .grip")) grip.draggable = true;
    for (const group of all("#tree details")) if (open.has(group.dataset.node)) group.open = open.get(group.dataset.node);
  }
  ready();
})();

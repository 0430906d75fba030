// What was chosen, in the fragment of the address: #section~key=value&key=value.

const state = {
  section: "",
  values: new URLSearchParams(),

  read() {
    const [section, values = ""] = location.hash.slice(1).split("~");
    Object.assign(state, { section: decodeURIComponent(section), values: new URLSearchParams(values) });
  },

  get(key, fallback = "") {
    return state.values.get(key) ?? fallback;
  },

  set(key, value, fallback = "") {
    if (value === fallback) state.values.delete(key);
    else state.values.set(key, value);
    state.write();
  },

  write() {
    const values = state.values.toString();
    history.replaceState(null, "", `#${encodeURIComponent(state.section)}${values && `~${values}`}`);
  },
};
state.read();
window.addEventListener("hashchange", () => location.reload());

// Links within the page keep what was chosen.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  const target = link && document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (!target) return;
  event.preventDefault();
  state.section = target.id;
  state.write();
  target.scrollIntoView();
  target.focus({ preventScroll: true });
});

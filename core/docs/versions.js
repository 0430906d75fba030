// A browser reads no list of versions from a folder: without a server there is no choice of them.
if (location.protocol === "file:") {
  delete DOCUMENTATION_OPTIONS.theme_switcher_json_url;
}

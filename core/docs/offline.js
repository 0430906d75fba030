// A page that is opened as a file may read no other file: neither the list of versions, nor the
// pages that a search has found, of which it would show the text.
if (location.protocol === "file:") {
  delete DOCUMENTATION_OPTIONS.theme_switcher_json_url;
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

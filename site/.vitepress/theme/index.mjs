import theme from 'vitepress/theme-without-fonts';
import './style.css';

/** Pages for developers, which answer few questions of users. */
const developerPages = /\/(?:adr|contributing|reference)\//;

export default {
  extends: theme,
  enhanceApp({ siteData }) {
    const { searchOptions } = siteData.value.themeConfig.search.options.miniSearch;
    // Not in the configuration, from which VitePress would copy a function with `eval`, which the server forbids.
    searchOptions.boostDocument = (id) => (developerPages.test(id) ? 0.2 : 1);
  },
};

import { defineConfig } from 'vite';

export default defineConfig({
  // Variables of the environment that the page may read. A setting that is a secret never belongs here.
  envPrefix: ['VITE_', 'SITE_ID_PREFIX'],
  build: {
    // The Content-Security-Policy of the backend permits no `data:` URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: {
    // The Content-Security-Policy of the backend permits no `data:` URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

import { defineConfig } from '@graphql-hive/gateway';

export const gatewayConfig = defineConfig({
  host: '127.0.0.1',
  port: Number(process.env.PORT),
  logging: false,
  jit: true,
  graphiql: false,
  landingPage: false,
  disableWebsockets: true,
});

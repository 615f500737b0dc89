import { describe } from 'vitest';
import { chatScenarios } from './scenarios/chat.ts';
import { eventScenarios } from './scenarios/events.ts';
import { detachedScenarios } from './scenarios/detached.ts';
import { payloadScenarios } from './scenarios/payload.ts';
import { resourceScenarios } from './scenarios/resources.ts';
import { scheduleScenarios } from './scenarios/schedules.ts';
import { toolScenarios } from './scenarios/tools.ts';
import { viewScenarios } from './scenarios/views.ts';
import { createCaller, type ConformanceTarget } from './target.ts';

/**
 * The scenarios of §17 that one server can be asked over HTTP, the same on every runtime. A runner starts a server
 * that serves PayloadEcho under CONFORMANCE_LIMITS, before the upstream of `startUpstream`, and hands in how to reach it. Nothing here knows a runtime.
 */
export const conformanceScenarios = (target: () => ConformanceTarget): void => {
  const caller = createCaller(target);
  describe('payloads (§17.1)', () => payloadScenarios(caller));
  describe('resources (§17.3)', () => resourceScenarios(caller));
  describe('views (§17.4)', () => viewScenarios(caller));
  describe('pushed events (§10.6)', () => eventScenarios(caller));
  describe('conversations (§17.6)', () => chatScenarios(caller));
  describe('calls that are made later', () => scheduleScenarios(caller));
  describe('calls that nobody waits for', () => detachedScenarios(caller));
  describe('tools, end to end (§17.6)', () => toolScenarios(caller));
};

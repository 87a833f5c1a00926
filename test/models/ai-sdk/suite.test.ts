// Goal: the adapter of the AI SDK's interface holds what every adapter has to, through the packages of real providers.

import { describe } from 'vitest'
import { adapterSuite } from '../suite.ts'
import { anthropic, chat, responses } from './drivers.ts'

describe('@ai-sdk/anthropic', () => adapterSuite(anthropic))
describe('@ai-sdk/openai, Responses', () => adapterSuite(responses))
describe('@ai-sdk/openai, Chat Completions', () => adapterSuite(chat))
